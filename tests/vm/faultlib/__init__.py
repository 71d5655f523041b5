# SPDX-License-Identifier: Apache-2.0
"""Faults that framegovd must survive without leaving a limit behind."""

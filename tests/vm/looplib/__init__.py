# SPDX-License-Identifier: Apache-2.0
"""What `./dev loop` is made of."""

# SPDX-License-Identifier: Apache-2.0
"""What `./dev demo` is made of."""

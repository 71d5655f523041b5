# SPDX-License-Identifier: Apache-2.0
# For ROM builders: `$(call inherit-product, vendor/framegov/framegov.mk)` in the product's makefile.
PRODUCT_PACKAGES += framegovd
SYSTEM_EXT_PRIVATE_SEPOLICY_DIRS += vendor/framegov/sepolicy

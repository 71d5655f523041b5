# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034,SC1091
# Stands in for a root manager's installer: the functions and variables that it gives to customize.sh.
# Lies where Magisk keeps its functions, so that the zip's update-binary finds it. ARCH and API come from outside.
MAGISK_VER_CODE=27000
MODPATH=/data/adb/modules_update/framegov
BOOTMODE=${BOOTMODE:-true}
ARCH=${ARCH:-arm64}
API=${API:-34}

ui_print() { echo "$1"; }
abort() {
  ui_print "$1"
  rm -rf /data/adb/modules_update
  exit 1
}
set_perm_recursive() {
  find "$1" -type d -exec chmod "$4" {} +
  find "$1" -type f -exec chmod "$5" {} +
}
install_module() {
  rm -rf "$MODPATH"
  mkdir -p "$MODPATH"
  unzip -oq "$ZIPFILE" -x 'META-INF/*' -d "$MODPATH" || abort "cannot unpack $ZIPFILE"
  . "$MODPATH/customize.sh"
}

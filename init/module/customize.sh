# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154,SC1091
# The installer has unpacked the zip into MODPATH and sources this file: no exit here, abort refuses.
# It brings ui_print, abort, set_perm_recursive, ARCH, API, BOOTMODE and MODPATH.
. "$MODPATH/paths.sh"
. "$MODPATH/words.sh"

refuse() {
  ui_print " "
  ui_print "$(say refused "$1")"
  # What was made a moment ago goes again; what an owner had stays.
  [ -n "$first_install" ] && rm -rf "$STATE"
  abort "$(say unchanged)"
}

# What doctor found wrong and what to do about it: the part above the first empty line.
show_missing() {
  echo "$1" | sed '/^$/q' | while IFS= read -r line; do [ -z "$line" ] || ui_print "  $line"; done
}

[ "$ARCH" = arm64 ] || refuse "$(say other_cpu "$ARCH")"
[ "$API" -ge 29 ] || refuse "$(say old_android "$API")"
[ "$BOOTMODE" = true ] || refuse "$(say recovery)"

set_perm_recursive "$MODPATH" 0 0 0755 0644
set_perm_recursive "$MODPATH/bin" 0 0 0755 0755

first_install=
[ -d "$STATE" ] || first_install=yes
mkdir -p "$STATE/profiles" && chmod 700 "$STATE" "$STATE/profiles"
doctor_settings="--config $CONFIG"
if [ -f "$CONFIG" ]; then
  ui_print "$(say kept "$STATE")"
  if ! problems=$("$MODPATH/bin/framegov" check "$CONFIG" 2>&1); then
    ui_print "$(say unreadable)"
    ui_print "  $problems"
    doctor_settings=
  fi
else
  ui_print "$(say settings "$CONFIG")"
  cp "$MODPATH/framegov.yaml" "$CONFIG"
fi
chmod 600 "$CONFIG"
# A new version gets a new chance, should the old one have been switched off for starts that did not last.
"$MODPATH/bin/framegovd" --enable >/dev/null 2>&1

ui_print "$(say examining)"
# shellcheck disable=SC2086
report=$("$MODPATH/bin/framegov" doctor $doctor_settings 2>&1)
code=$?
# shellcheck disable=SC2086
found=$("$MODPATH/bin/framegov" doctor $doctor_settings --json 2>/dev/null)
source=$(printf '%s\n' "$found" | sed -n '/"id": "source"/,/"what"/s/.*"what": "//p')
lacks=$(printf '%s\n' "$found" |
  sed -n '/"id": /{N;N;/"health": "missing",\n *"needed": true/s/.*"id": "\([^"]*\)".*/\1/p;}')
# Zygisk can only have loaded the library in a boot that had it: whoever asks for it gets it first.
case $code/$lacks/$source in
  5/source/*"service.source is zygisk"*) code=zygisk ;;
esac
case $code in
  0) ui_print "$(say fit)" ;;
  zygisk) ui_print "$(say zygisk_next)" ;;
  5)
    show_missing "$report"
    refuse "$(say lacking)"
    ;;
  *)
    ui_print "  $report"
    refuse "$(say failed)"
    ;;
esac

# Where the kernel sees frames nothing has to be loaded into apps. Asked for (service.source), it stays.
case $source in
  ringbuf* | perf* | tracefs*) rm -rf "$MODPATH/zygisk" ;;
esac

for dir in $PROGRAM_DIRS; do
  # The module's place after the reboot, not MODPATH, which is the installer's.
  [ -d "$dir" ] && ln -sf /data/adb/modules/framegov/bin/framegov "$dir/framegov"
done
ui_print "$(say reboot)"

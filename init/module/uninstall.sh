#!/system/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC1091
# Run by the root manager when the module is removed: every limit is as before, and nothing of framegov stays
# but the settings and profiles of an owner who wanted to keep them.
MODDIR=${0%/*}
. "$MODDIR/paths.sh"
. "$MODDIR/words.sh"
STOP_SECONDS=5
KILL_SECONDS=5

# What would start it again: init, where the ROM has framegovd too (until the next boot), and the module's service.sh.
stop_starters() {
  if command -v stop >/dev/null; then stop framegovd 2>/dev/null; fi
  for process in /proc/[0-9]*; do
    case $(tr '\0' ' ' 2>/dev/null <"$process/cmdline") in
      */framegov/service.sh\ *) kill -KILL "${process#/proc/}" ;;
    esac
  done
}

# SIGTERM puts the limits back. 1: it still runs.
stop_service() {
  waited=0
  while pids=$(service_pids) && [ -n "$pids" ]; do
    [ "$waited" -lt $((STOP_SECONDS + KILL_SECONDS)) ] || return 1
    signal=TERM
    [ "$waited" -lt "$STOP_SECONDS" ] || signal=KILL
    # shellcheck disable=SC2086
    kill -"$signal" $pids
    sleep 1
    waited=$((waited + 1))
  done
}

[ -d "$STATE" ] && touch "$REMOVING"
stop_starters
stopped=yes
stop_service || stopped=
# For a service that could not do it itself.
[ -z "$stopped" ] || restore_limits || say limits_left
for dir in $PROGRAM_DIRS; do
  case $(readlink "$dir/framegov") in
    /data/adb/modules/framegov/*) rm -f "$dir/framegov" ;;
  esac
done
if [ -z "$stopped" ]; then
  # Without its folder it could not put its limits back.
  say respawned "$(service_pids | tail -n 1)"
  say respawned_stays "$STATE"
  exit 1
fi
if [ -e "$KEEP" ]; then
  for each in "$STATE"/* "$STATE"/.[!.]*; do
    case $each in
      "$CONFIG" | "$STATE/profiles" | "$KEEP") ;;
      *) rm -rf "$each" ;;
    esac
  done
  say stays "$STATE"
else
  rm -rf "$STATE"
fi

#!/system/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC1091
# Run by the root manager when the module is removed: nothing of framegov stays, every limit is as before.
MODDIR=${0%/*}
. "$MODDIR/paths.sh"
STOP_SECONDS=5

# SIGTERM puts the limits back.
stop_service() {
  signal=TERM
  waited=0
  while pids=$(service_pids) && [ -n "$pids" ]; do
    [ "$waited" -lt "$STOP_SECONDS" ] || signal=KILL
    # shellcheck disable=SC2086
    kill -"$signal" $pids
    sleep 1
    waited=$((waited + 1))
  done
}

[ -d "$STATE" ] && touch "$REMOVING"
stop_service
# For a service that could not do it itself.
restore_limits
for dir in $PROGRAM_DIRS; do
  case $(readlink "$dir/framegov") in
    /data/adb/modules/framegov/*) rm -f "$dir/framegov" ;;
  esac
done
rm -rf "$STATE"

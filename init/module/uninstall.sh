#!/system/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC1091
# Run by the root manager when the module is removed: nothing of framegov stays, every limit is as before.
MODDIR=${0%/*}
. "$MODDIR/paths.sh"
STOP_SECONDS=5

stop_service() {
  pid=$(service_pid) || return 0
  # SIGTERM puts the limits back.
  kill "$pid"
  waited=0
  while [ -d "/proc/$pid" ]; do
    [ "$waited" -lt "$STOP_SECONDS" ] || { kill -9 "$pid"; sleep 1; break; }
    sleep 1
    waited=$((waited + 1))
  done
}

stop_service
# For a service that could not do it itself.
restore_limits
for dir in $PROGRAM_DIRS; do
  case $(readlink "$dir/framegov") in
    /data/adb/modules/framegov/*) rm -f "$dir/framegov" ;;
  esac
done
rm -rf "$STATE"

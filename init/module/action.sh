#!/system/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC1091
# The button of the module in the root manager's app: is it running, is the phone fit, what was said last.
MODDIR=${0%/*}
. "$MODDIR/paths.sh"

pid=$(service_pids)
if [ -n "$pid" ]; then echo "framegovd is running (process $pid)"; else echo "framegovd is not running"; fi
echo
"$MODDIR/bin/framegov" doctor --config "$CONFIG"
echo
echo "The last lines of $LOG:"
tail -n 10 "$LOG" 2>/dev/null || echo "(none)"
if [ -z "$pid" ] && [ -s "$LAST_WORDS" ]; then
  echo
  echo "Its last words:"
  cat "$LAST_WORDS"
fi

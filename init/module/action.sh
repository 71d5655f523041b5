#!/system/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC1091
# The button of the module in the root manager's app: is it running, is the phone fit, what was said last.
MODDIR=${0%/*}
. "$MODDIR/paths.sh"
. "$MODDIR/words.sh"

pid=$(service_pids)
if [ -n "$pid" ]; then say running "$pid"; else say not_running; fi
echo
"$MODDIR/bin/framegov" doctor --config "$CONFIG"
echo
say log "$LOG"
tail -n 10 "$LOG" 2>/dev/null || say no_log
if [ -z "$pid" ] && [ -s "$LAST_WORDS" ]; then
  echo
  say last_words
  cat "$LAST_WORDS"
fi
echo
if [ -e "$KEEP" ]; then say keeping "$KEEP"; else say keep "$KEEP"; fi

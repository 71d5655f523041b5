#!/system/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC1091
# Run by the root manager late in the boot, beside everything else: it may wait.
MODDIR=${0%/*}
. "$MODDIR/paths.sh"
# Three boots in a row that did not last a minute after the start: the next ones go without framegov.
MAX_TRIES=3
LASTED_SECONDS=60

say() { echo "$(date '+%Y-%m-%d %H:%M:%S') module: $*" >>"$LOG"; }

wait_for_boot() {
  if command -v resetprop >/dev/null; then resetprop -w sys.boot_completed 0 >/dev/null; fi
  until [ "$(getprop sys.boot_completed)" = 1 ]; do sleep 1; done
}

tries_so_far() {
  # shellcheck disable=SC2153
  counted=$(cat "$TRIES" 2>/dev/null)
  case $counted in '' | *[!0-9]*) echo 0 ;; *) echo "$counted" ;; esac
}

# The service keeps its log itself; what it says on stderr as well is kept to the last lines of a start
# that failed or a run that ended.
serve() {
  {
    "$MODDIR/bin/framegovd" --config "$CONFIG" </dev/null
    echo "framegovd ended with exit code $?"
    # However it ended: nothing stays limited. uninstall.sh does it itself.
    [ -e "$REMOVING" ] || restore_limits
  } 2>&1 | tail -n 20 >"$LAST_WORDS"
}

wait_for_boot
mkdir -p "$STATE" && chmod 700 "$STATE"
tries=$(tries_so_far)
if [ "$tries" -ge "$MAX_TRIES" ]; then
  say "not started: the last $tries boots ended within a minute of it. Try again: rm $TRIES, reboot"
  exit 0
fi
echo $((tries + 1)) >"$TRIES"
(sleep "$LASTED_SECONDS" && rm -f "$TRIES") &
serve &

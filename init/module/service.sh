#!/system/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC1091
# Run by the root manager late in the boot, beside everything else: it may wait.
MODDIR=${0%/*}
. "$MODDIR/paths.sh"

wait_for_boot() {
  if command -v resetprop >/dev/null; then resetprop -w sys.boot_completed 0 >/dev/null; fi
  until [ "$(getprop sys.boot_completed)" = 1 ]; do sleep 1; done
}

# framegovd watches over itself (a supervisor process, and a count of starts that did not last) and
# keeps its log itself; what it says on stderr as well is kept to the last lines of a start that failed
# or a run that ended.
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
# Whoever deletes the folder starts afresh.
[ -f "$CONFIG" ] || (umask 077 && cp "$MODDIR/framegov.yaml" "$CONFIG")
serve &

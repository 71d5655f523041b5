# SPDX-License-Identifier: Apache-2.0
"""Android's `dumpsys`, as far as framegov asks it, for a phone that has none."""

from __future__ import annotations

PATH = "/system/bin/dumpsys"
PACKAGE = "com.example.game"
PERIOD_NS = 16_666_666
# SurfaceFlinger keeps 128 rows and leaves out the one that is being filled.
_ROWS = 127
_LAYER = f"SurfaceView[{PACKAGE}/{PACKAGE}.Main](BLAST)#7"
_NEVER = (1 << 63) - 1

# The game's layer has a frame every period, the last two of them not on the display yet. /proc/uptime
# is the clock of the rows, to 10 ms.
SCRIPT = f"""#!/bin/sh
case "$1 $2" in
"SurfaceFlinger --list")
  printf '%s\\n' 'Task=12#34' 'Background for SurfaceView[{PACKAGE}/{PACKAGE}.Main]#6' \\
    'RequestedLayerState{{{_LAYER} parentId=5 relativeParentId=4294967295}}' 'com.android.systemui/.Bar#3' ;;
"SurfaceFlinger --latency")
  echo {PERIOD_NS}
  if [ "$3" = '{_LAYER}' ]; then
    read -r up rest < /proc/uptime
    last=$((${{up%.*}}${{up#*.}}0000000 / {PERIOD_NS}))
    row=$((last - {_ROWS - 3}))
    while [ $row -le $last ]; do
      at=$((row * {PERIOD_NS}))
      printf '%s\\t%s\\t%s\\n' $((at - 5000000)) $((at + {PERIOD_NS})) $at
      row=$((row + 1))
    done
    for row in 1 2; do printf '%s\\t%s\\t%s\\n' $((last * {PERIOD_NS})) {_NEVER} {_NEVER}; done
  fi
  echo ;;
"SurfaceFlinger ")
  printf '%s\\n' 'Displays (1 entries)' '    activeMode={{id=1, hwcId=0, resolution=1080x2400, vsyncRate=60.00 Hz}}, renderRate=60.00 Hz' ;;
"activity activities")
  printf '%s\\n' '  topResumedActivity=ActivityRecord{{1a2b3c u0 {PACKAGE}/.Main t12}}' ;;
esac
"""

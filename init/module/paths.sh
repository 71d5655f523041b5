# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034
# Where things are, for the module's scripts. Nothing of the owner's lies in the module's own folder,
# which every update replaces.
STATE=/data/adb/framegov
CONFIG=$STATE/framegov.yaml
LOG=$STATE/framegov.log
LAST_WORDS=$STATE/last_words
# There while the module is removed: nobody writes here any more.
REMOVING=$STATE/removing
# An owner makes it to keep settings and profiles when the module is removed: no root manager asks then.
KEEP=$STATE/keep-profiles

# KernelSU and APatch have a folder of programs in root's PATH; Magisk has none.
PROGRAM_DIRS="/data/adb/ksu/bin /data/adb/ap/bin"

# glibc registers restartable sequences at the start of a program; kernels 5.10 and 5.15 of phones do
# not bear it well, and nothing here uses them.
export GLIBC_TUNABLES=glibc.pthread.rseq=0

# The process ids of framegovd, whether it governs already or is still starting.
service_pids() {
  for process in /proc/[0-9]*; do
    case $(readlink "$process/exe") in
      */framegovd | */framegovd\ *) echo "${process#/proc/}" ;;
    esac
  done
}

# Puts back what a service that was killed left. Settings that cannot be read do not stand in the way.
restore_limits() {
  "$MODDIR/bin/framegovd" --config "$CONFIG" --restore || "$MODDIR/bin/framegovd" --restore
}

#!/usr/bin/env bash
# Runs a command and tells at its end how many minutes it took: run.sh NAME COMMAND [ARGUMENT]... It exits as the command does.
set -uo pipefail
name=$1
shift
"$@"
ended=$?
printf '=== %s: %d min %02d s, exit code %d\n' "$name" $((SECONDS / 60)) $((SECONDS % 60)) $ended
exit $ended

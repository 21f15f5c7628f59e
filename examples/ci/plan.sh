#!/bin/sh
# Says what hcctl apply would change, and writes true or false to $RESULT. The plan is in $PLAN.
# It ends with hcctl's own exit code, except for 6 (there is something to do), which is no failure here.
set -eu
: "${FLEET:?set FLEET to the Fleet file}"
plan=${PLAN:-plan.txt}
set -- apply -f "$FLEET" --dry-run
if [ -n "${ENVIRONMENT:-}" ]; then set -- "$@" --env "$ENVIRONMENT"; fi
code=0
hcctl "$@" > "$plan" || code=$?
cat "$plan"
case $code in
0) changes=false ;;
6) changes=true ;;
*) exit "$code" ;;
esac
printf '%s' "$changes" > "${RESULT:-changes.txt}"

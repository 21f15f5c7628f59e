#!/usr/bin/env bash
# Fuzzes each target whose name matches NAMES for TIME, one on each processor at once: run.sh TIME NAMES. A target that
# fails leaves its input in the package's testdata/fuzz for go test, and fails the run.
set -euo pipefail
cd "$(dirname "$0")/../.."
export TIME=$1 NAMES=$2

one() {
	out=$(go test -vet=off -run '^$' -fuzz "^$2\$" -fuzztime "$TIME" -parallel 1 "$1" 2>&1) || {
		# Package testing reports a failure, too, if only the time is up.
		grep -q 'context deadline exceeded' <<<"$out" && ! grep -qE 'Failing input written to|panic:' <<<"$out" ||
			{ printf '%s %s failed:\n%s\n' "$1" "$2" "$out" >&2; return 1; }
	}
	printf '%s %s: %s\n' "$1" "$2" "$(grep execs: <<<"$out" | tail -n 1)"
}
export -f one

targets=$(git grep --untracked -o '^func Fuzz[A-Za-z0-9_]*' -- '*_test.go' ':!sandbox' |
	sed -n 's,^\(.*\)/[^/]*:func ,./\1 ,p' | awk '$2 ~ ENVIRON["NAMES"]')
[[ -n $targets ]] || { echo "fuzz: no target matches $NAMES" >&2; exit 1; }
xargs -P "$(getconf _NPROCESSORS_ONLN)" -L 1 bash -c 'one "$@"' one <<<"$targets"

#!/usr/bin/env bash
# Builds a program and tells how far it is, and at its end how long it took: run.sh NAME go build -C DIR [FLAG]... PACKAGE.
# What is up to date is not compiled, so the number of packages is the most there are. Errors of go build stay as they are.
set -uo pipefail
name=$1
shift
total=$("$1" list -C "$4" -deps "${@: -1}" 2>/dev/null | wc -l)
erase=$'\r\e[K' terminal=
[ -t 2 ] && terminal=yes
GOFLAGS="${GOFLAGS:-} -v" "$@" 2>&1 | {
	compiled=0
	while IFS= read -r line; do
		# go build -v names each package that it compiles. An error has a space or a colon.
		if [[ $line == *[\ :]* ]]; then
			printf '%s%s\n' "${terminal:+$erase}" "$line" >&2
			continue
		fi
		compiled=$((compiled + 1))
		if [ -n "$terminal" ]; then
			printf '%s%s: %d of at most %d packages, %d s' "$erase" "$name" $compiled "$total" $SECONDS >&2
		elif [ $((compiled % 100)) = 0 ]; then
			printf '%s: %d of at most %d packages, %d s\n' "$name" $compiled "$total" $SECONDS >&2
		fi
	done
	printf '%s%s: %d packages compiled, %d min %02d s\n' "${terminal:+$erase}" "$name" $compiled $((SECONDS / 60)) $((SECONDS % 60)) >&2
}

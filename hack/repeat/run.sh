#!/usr/bin/env bash
# Runs a target of make again and again, every fourth time beside a load of busy loops, and writes which tests failed and why:
# run.sh RUNS LOAD TARGET OUT. It exits with 1 if a run failed. The output of each run stays in the directory OUT.
set -euo pipefail
runs=$1 load=$2 target=$3 out=$4
cd "$(dirname "$0")/../.."
mkdir -p "$out"
loops=()
unload() { [ ${#loops[@]} = 0 ] || kill "${loops[@]}" 2>/dev/null || true; loops=(); }
trap unload EXIT

table=$out/table.md failed=0
printf '| run | load | seconds | red tests | why |\n| --- | --- | --- | --- | --- |\n' | tee "$table"
for run in $(seq "$runs"); do
	beside=0
	if [ $((run % 4)) = 0 ]; then
		beside=$load
		# A loop ends by itself if this script is killed.
		for _ in $(seq "$load"); do timeout 3h sh -c 'while :; do :; done' & loops+=($!); done
	fi
	go clean -testcache
	log=$out/run-$run.log start=$SECONDS
	if make --no-print-directory -k "$target" >"$log" 2>&1; then
		red='' why=''
	else
		failed=1
		# A test whose subtest failed is not told beside it. Without a red test, the first error of make or go is the reason.
		red=$(sed -n 's/^ *--- FAIL: \([^ ]*\).*/\1/p' "$log" | sort -ru |
			awk 'index(last, $0 "/") != 1 { print } { last = $0 }' | sort | paste -sd ' ')
		why=$(grep -m 1 -E '^ +[A-Za-z0-9_]+\.go:[0-9]+: |^panic: |^FAIL:|\*\*\* ' "$log" | sed 's/^ *//; s/|/\\|/g' | cut -c 1-200 || true)
		: "${red:=none}"
	fi
	unload
	printf '| %s | %s | %s | %s | %s |\n' "$run" "$beside" $((SECONDS - start)) "$red" "$why" | tee -a "$table"
done
exit $failed

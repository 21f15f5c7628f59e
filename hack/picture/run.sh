#!/usr/bin/env bash
# Records session.sh against a sandbox of its own and writes the picture of the README: run.sh PICTURE_PROGRAM OUT. make
# picture calls it with HCCTL_BIN and HCCTL_SANDBOX_BIN.
set -euo pipefail
: "${HCCTL_BIN:?run make picture}" "${HCCTL_SANDBOX_BIN:?run make picture}"
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "$1")
out=$(realpath -m "$2")
work=$(mktemp -d)
sandbox=
finish() {
	local code=$?
	trap - EXIT
	if [[ -n $sandbox ]] && kill -TERM "$sandbox" 2>/dev/null; then
		wait "$sandbox" || true
	fi
	rm -rf "$work"
	exit "$code"
}
trap finish EXIT
cd "$work"
"$HCCTL_SANDBOX_BIN" start --dir sandbox --speed 4 >ready.txt 2>sandbox.log &
sandbox=$!
until grep -q '^ready:' ready.txt; do
	kill -0 "$sandbox" 2>/dev/null || { cat sandbox.log >&2; exit 1; }
	sleep 0.2
done
export HOME="$work" KUBECONFIG="$work/sandbox/kubeconfig" TERM=xterm-256color
unset NO_COLOR CI
"$program" -out "$out" -columns 100 -rows 26 -every 2s -faster 6 \
	-title 'hcctl bootstrap, create cluster and get clusters against a sandbox, six times as fast' \
	bash "$here/session.sh"

#!/usr/bin/env bash
# The story of the README, told by the programs themselves: each command is printed before it runs, its output is its own, and
# what was started is stopped. The exit code is 0 only if every command ended as the story says. `make demo` calls it with
# HCCTL_BIN and HCCTL_SANDBOX_BIN.
set -euo pipefail

: "${HCCTL_BIN:?run make demo}" "${HCCTL_SANDBOX_BIN:?run make demo}"
repository=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
sandbox=
readonly repository work
readonly range=127.0.216.32-127.0.216.122

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
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
	printf 'demo: %s\n' "$*" >&2
	exit 1
}

# show CODE COMMAND...: prints the command, runs it, and asks for that exit code.
show() {
	local want=$1 got=0 begin=$SECONDS
	shift
	printf '\n$ %s\n' "$*"
	"$@" || got=$?
	[[ $got == "$want" ]] || fail "exit code $got, want $want"
	printf '[exit code %d after %d s]\n' "$got" $((SECONDS - begin))
}

tell() { printf '\n# %s\n' "$*"; }

mkdir "$work/bin"
ln -s "$HCCTL_BIN" "$work/bin/hcctl"
ln -s "$HCCTL_SANDBOX_BIN" "$work/bin/hcctl-sandbox"
if ! command -v kubectl >/dev/null; then
	(cd "$repository" && go build -o "$work/bin/getnodes" ./hack/getnodes)
fi
export PATH="$work/bin:$PATH"
# Nothing of the machine's own is used, nor kept.
export HOME="$work"
unset KUBECONFIG
cd "$work"

# Commands that change something ask on a terminal only: without one the story runs by itself.
exec </dev/null

begin=$SECONDS
tell 'A sandbox: OpenShift 4.20 on bare metal, nothing installed.'
printf '\n$ hcctl-sandbox start --dir sandbox &\n'
hcctl-sandbox start --dir sandbox >ready 2>sandbox.log &
sandbox=$!
until grep -q '^ready: ' ready; do
	if ! kill -0 "$sandbox" 2>/dev/null; then
		cat sandbox.log >&2
		sandbox=
		fail 'the sandbox ended'
	fi
	sleep 0.1
done
cat ready
printf '\n$ export KUBECONFIG=sandbox/kubeconfig\n'
export KUBECONFIG=sandbox/kubeconfig

tell 'What is missing?'
show 3 hcctl check

tell 'Install it. (The range is on loopback so that its addresses answer on this machine.)'
show 0 hcctl bootstrap --metallb-range "$range"
show 0 hcctl check

tell 'Once more: there is nothing to do.'
show 0 hcctl bootstrap --metallb-range "$range"

tell 'A hosted cluster, in a version of the management cluster'"'"'s ClusterImageSets.'
show 0 hcctl create cluster --name kv-00 --version 4.20.3
show 0 hcctl get clusters

tell 'Its nodes, through its own API server.'
if command -v kubectl >/dev/null; then
	show 0 hcctl exec kv-00 -- kubectl get nodes | tee nodes
else
	show 0 hcctl exec kv-00 -- getnodes | tee nodes
fi
[[ $(grep -cw Ready nodes) == 2 ]] || fail 'not two nodes Ready'

tell 'One worker more, and a newer release: what there is, and then there.'
show 0 hcctl scale nodepool kv-00 --replicas 3
show 0 hcctl upgrade cluster kv-00
show 0 hcctl upgrade cluster kv-00 --version 4.20.8 --yes
show 0 hcctl status kv-00

tell 'Delete it.'
show 0 hcctl delete cluster kv-00 --yes
show 0 hcctl get clusters

tell "The whole story took $((SECONDS - begin)) s."

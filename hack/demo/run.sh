#!/usr/bin/env bash
# The story of the README, told by the programs themselves: each command is printed before it runs, its output is its own, and
# what was started is stopped. The exit code is 0 only if every command ended as the story says. `make demo` calls it with
# HCCTL_BIN and HCCTL_SANDBOX_BIN.
set -euo pipefail

: "${HCCTL_BIN:?run make demo}" "${HCCTL_SANDBOX_BIN:?run make demo}"
. "$(dirname "$0")/lib.sh"
# HCCTL_DEMO_RANGE lets it run beside the tests of docs/demo.md.
readonly range=${HCCTL_DEMO_RANGE:-127.0.216.32-127.0.216.122}

if ! command -v kubectl >/dev/null; then
	(cd "$repository" && go build -o "$work/bin/getnodes" ./hack/getnodes)
fi
isolate

begin=$SECONDS
tell 'A sandbox: OpenShift 4.20 on bare metal, nothing installed.'
sandbox sandbox
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
show 0 hcctl scale kv-00 --replicas 3
show 0 hcctl upgrade cluster kv-00
show 0 hcctl upgrade cluster kv-00 --version 4.20.8 --yes
show 0 hcctl status kv-00

tell 'Delete it.'
show 0 hcctl delete cluster kv-00 --yes
show 0 hcctl get clusters

tell "The whole story took $((SECONDS - begin)) s."

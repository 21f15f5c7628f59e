#!/usr/bin/env bash
# The session of the README's picture: what a person would type, run against a sandbox. HCCTL_BIN and KUBECONFIG say
# with what.
set -euo pipefail
export PATH="$(dirname "$HCCTL_BIN"):$PATH"
run() {
	printf '\033[1m$ %s\033[0m\n' "$*"
	"$@"
}
run hcctl bootstrap --metallb-range 127.0.216.32-127.0.216.122 --yes
run hcctl create cluster --name kv-00 --version 4.20.3 --yes
run hcctl get clusters

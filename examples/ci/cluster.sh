#!/bin/sh
# Creates a hosted cluster that expires, waits until it is healthy, runs $TEST with it, and deletes it whatever happened.
# If something fails, a dump of the cluster is kept. Results for the CI server are in $RESULTS.
set -eu
: "${NAME:?set NAME to a name that no other run has}" "${TEST:?set TEST to the command that tests the cluster}"
results=${RESULTS:-results}
mkdir -p "$results"
# A cluster that is there already is not of this run.
if hcctl get clusters "$NAME" -o name > /dev/null 2>&1; then
  echo "hosted cluster $NAME exists already" >&2
  exit 1
fi
end() {
  code=$?
  trap '' INT TERM
  trap - EXIT
  if [ "$code" -ne 0 ]; then
    hcctl dump "$NAME" --secrets=false --artifact-dir "$results" || echo "the dump is not complete" >&2
  fi
  hcctl delete cluster "$NAME" --yes --ignore-not-found -o junit > "$results/delete.xml" || code=$(( code ? code : $? ))
  exit "$code"
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
set -- create cluster --name "$NAME" --expires "${EXPIRES:-6h}" --max-clusters "${MAX_CLUSTERS:-3}"
if [ -n "${OWNER:-}" ]; then set -- "$@" --owner "$OWNER"; fi
hcctl "$@" --node-pool-replicas "${REPLICAS:-2}" --wait healthy --timeout 45m --yes -o junit > "$results/create.xml"
hcctl exec "$NAME" -- sh -c "$TEST"

#!/bin/sh
# Creates a hosted cluster that expires, waits until it is healthy, runs $TEST with it, and deletes it whatever happened.
# If something fails, a dump of the cluster is kept. Results for the CI server are in $RESULTS.
set -eu
: "${NAME:?set NAME to a name that no other run has}" "${TEST:?set TEST to the command that tests the cluster}"
results=${RESULTS:-results}
mkdir -p "$results"
# The infraID is of this run alone: a cluster of that name with another one is neither used nor deleted.
infra=${INFRA_ID:-$(printf %.16s "$NAME")-$(od -An -N5 -tx1 /dev/urandom | tr -d '[:space:]')}
if hcctl get clusters "$NAME" -o name > /dev/null 2>&1; then
  echo "hosted cluster $NAME exists already" >&2
  exit 1
fi
# A shell looks at a signal once its command has ended, but while it waits at once.
run() { "$@" & wait $!; }
stop() { set +u; kill $! 2> /dev/null && wait $! || true; exit "$1"; }
end() {
  code=$?
  trap '' INT TERM
  trap - EXIT
  case $code in
  0 | 130 | 143) ;; # what is stopped has no time for a dump
  *) hcctl dump "$NAME" --secrets=false --artifact-dir "$results" || echo "the dump is not complete" >&2 ;;
  esac
  hcctl delete cluster "$NAME" --infra-id "$infra" --yes --ignore-not-found -o junit > "$results/delete.xml" ||
    code=$(( code ? code : $? ))
  exit "$code"
}
trap end EXIT
trap 'stop 130' INT
trap 'stop 143' TERM
set -- create cluster --name "$NAME" --infra-id "$infra" --expires "${EXPIRES:-6h}" --max-clusters "${MAX_CLUSTERS:-3}"
if [ -n "${OWNER:-}" ]; then set -- "$@" --owner "$OWNER"; fi
run hcctl "$@" --node-pool-replicas "${REPLICAS:-2}" --wait healthy --timeout 45m --yes -o junit > "$results/create.xml"
run hcctl exec "$NAME" -- sh -c "$TEST"

#!/bin/sh
# The program of an external data source: one JSON object of texts on stdout, whatever the state of the cluster is.
# Terraform gives the query on stdin, and puts what is on stderr into its error.
set -eu
name=$(sed -n 's/.*"name": *"\([a-z0-9][a-z0-9.-]*\)".*/\1/p')
namespace=${HCCTL_NAMESPACE:-clusters}
if [ -z "$name" ]; then echo "the query has no name" >&2; exit 2; fi
line=$(hcctl get clusters "$name" --namespace "$namespace" --no-headers -o \
  custom-columns=NAME:.metadata.name,HOST:.status.controlPlaneEndpoint.host,VERSION:.status.version.history[0].version)
case $line in
*[!A-Za-z0-9.:+\ \<\>_-]*) echo "hcctl get clusters $name: an address or a version that is none" >&2; exit 1 ;;
esac
# shellcheck disable=SC2086 # three words
set -- $line
printf '{"name":"%s","host":"%s","version":"%s"}\n' "$1" "$2" "$3"

#!/bin/sh
# The program of an external data source: one JSON object of texts on stdout, whatever the state of the cluster is.
# Terraform gives the query on stdin, and puts what is on stderr into its error.
set -eu
name=$(sed -n 's/.*"name": *"\([a-z0-9][a-z0-9.-]*\)".*/\1/p')
namespace=${HCCTL_NAMESPACE:-clusters}
if [ -z "$name" ]; then echo "the query has no name" >&2; exit 2; fi
hcctl get clusters "$name" --namespace "$namespace" \
  -o jsonpath='{"name":"{.metadata.name}","host":"{.status.controlPlaneEndpoint.host}","version":"{.status.version.history[0].version}"}'

#!/usr/bin/env bash
# A fleet: one hub, two sites, six hosted clusters in dev and prod, and a commit that changes dev. Each command is printed
# before it runs, what was started is stopped, and the exit code is 0 only if every step ended as the story says.
# `make demo-fleet` calls it with HCCTL_BIN and HCCTL_SANDBOX_BIN.
set -euo pipefail

: "${HCCTL_BIN:?run make demo-fleet}" "${HCCTL_SANDBOX_BIN:?run make demo-fleet}"
. "$(dirname "$0")/lib.sh"
command -v git >/dev/null || fail 'git is not in the path'
isolate

begin=$SECONDS
tell 'A hub and two sites: three management clusters, each a sandbox of its own. The sites join the hub by the agents of' \
	'Open Cluster Management.'
sandbox hub --profile ready --lean --guests 0
sandbox east --profile ready --lean --guests 0 --join hub/kubeconfig --cluster-name east
sandbox west --profile ready --lean --guests 0 --join hub/kubeconfig --cluster-name west
printf '\n$ export KUBECONFIG=%s/hub/kubeconfig\n' "$work"
export KUBECONFIG=$work/hub/kubeconfig

tell 'The fleet is a file in Git: three clusters in dev, three in prod. No Secret is in it.'
git init -q -b main team
cat >team/fleet.yaml <<'FLEET'
apiVersion: hcctl.dev/v1alpha1
kind: Fleet
defaults:
  spec: {releaseImage: "quay.io/openshift-release-dev/ocp-release:4.20.3-multi", pullSecret: ../pull.json}
environments:
  dev: {metadata: {namespace: dev}, nodePool: {replicas: 1}}
  prod: {metadata: {namespace: prod}, nodePool: {replicas: 2}}
clusters:
- {metadata: {name: front-dev}, environments: [dev]}
- {metadata: {name: back-dev}, environments: [dev]}
- {metadata: {name: data-dev}, environments: [dev]}
- {metadata: {name: front-prod}, environments: [prod]}
- {metadata: {name: back-prod}, environments: [prod]}
- {metadata: {name: data-prod}, environments: [prod]}
FLEET
echo '{"auths":{"quay.io":{"auth":"ZGVtbzpkZW1v"}}}' >pull.json
git -C team add fleet.yaml
git -C team -c user.name=demo -c user.email=demo@example.com commit -qm 'Begin: six clusters'
show 0 cat team/fleet.yaml

tell 'Where may hosted clusters be? A Placement on the hub decides: every site, and not the hub itself.'
cat >placement.yaml <<'PLACEMENT'
apiVersion: v1
kind: Namespace
metadata: {name: fleets}
---
apiVersion: cluster.open-cluster-management.io/v1beta2
kind: ManagedClusterSetBinding
metadata: {name: default, namespace: fleets}
spec: {clusterSet: default}
---
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: Placement
metadata: {name: hosting, namespace: fleets}
spec:
  predicates:
  - requiredClusterSelector:
      labelSelector:
        matchExpressions: [{key: local-cluster, operator: DoesNotExist}]
PLACEMENT
# A ManagedCluster is there a moment after the site asked for it.
for site in east west; do
	until kubectl get "managedcluster/$site" >/dev/null 2>&1; do
		((SECONDS - begin < 180)) || fail "the hub does not know site $site"
		sleep 0.5
	done
done
show 0 kubectl wait --for condition=ManagedClusterConditionAvailable --timeout 120s managedcluster/east managedcluster/west
show 0 kubectl apply --server-side -f placement.yaml
show 0 kubectl wait --for condition=PlacementSatisfied --timeout 60s placement/hosting --namespace fleets

# pipeline applies what is in Git, as one of examples/ci does after each commit. It ends when the clusters are complete.
pipeline() {
	for env in dev prod; do
		show 0 hcctl apply -f team/fleet.yaml --env "$env" --hub --placement fleets/hosting --copy-secrets --allow-files-from . --yes
	done
}

tell 'A pipeline applies what is in Git after each commit. The hub gives each cluster to a site, and the sites make them.'
pipeline
show 0 hcctl get clusters --hub -A

# pools prints the size of each node pool, and how often its specification has changed, as the sites have it.
pools() {
	for site in east west; do
		kubectl --kubeconfig "$site/kubeconfig" get nodepools -A --no-headers \
			-o custom-columns='NAMESPACE:.metadata.namespace,NAME:.metadata.name,WANTED:.spec.replicas,GENERATION:.metadata.generation'
	done | sort
}
pools >before

tell 'One commit changes dev: two nodes for each cluster instead of one.'
sed -i '/^  dev:/s/replicas: 1/replicas: 2/' team/fleet.yaml
git -C team -c user.name=demo -c user.email=demo@example.com commit -qam 'Give dev a second node'
show 0 git -C team --no-pager show --stat --format=%s
pipeline

tell 'The sites make the nodes. Nothing of prod has changed.'
until [[ $(pools | awk '$1 == "dev" && $3 == 2' | wc -l) == 3 ]]; do
	((SECONDS - begin < 280)) || fail 'the node pools of dev do not have two nodes'
	sleep 0.5
done
show 0 hcctl get clusters --hub -A
pools >after
diff <(grep '^prod ' before) <(grep '^prod ' after) || fail 'node pools of prod have changed'
[[ $(grep -c '^prod ' after) == 3 ]] || fail 'not three node pools in prod'
tell 'The node pools at the sites: nodes wanted, and how often the specification has changed.'
cat after

took=$((SECONDS - begin))
tell "The whole story took $took s."

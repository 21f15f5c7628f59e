package e2e

import (
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// The hub's side of the fleet: a Placement that chooses the only management cluster, which is the hub itself.
const (
	hubPlacement = `
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
spec: {clusterSets: [default]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: hcctl.clusters.kv-06, namespace: hcctl-assignments}
data: {site: gone}
`
	hubFleet = `apiVersion: hcctl.dev/v1alpha1
kind: Fleet
defaults:
  metadata: {namespace: clusters, labels: {env: dev}}
  spec: {releaseImage: "quay.io/openshift-release-dev/ocp-release:4.20.3-multi", pullSecret: pull.json, nodePools: [{replicas: 1}]}
clusters: [{metadata: {name: kv-05}}, {metadata: {name: kv-06}}]
`
)

// hubActs has a user work on hosted clusters through a hub, whose management cluster is that of the test. One of them
// was assigned to a management cluster that is gone by now.
func (st *stage) hubActs() {
	st.t.Helper()
	// The roles bring the namespace of the assignments.
	fleeter := st.person("fleeter", "hub")
	if err := st.admin.apply([]byte(hubPlacement)); err != nil {
		st.t.Fatal(err)
	}
	deadline, tick := time.After(time.Minute), time.NewTicker(50*time.Millisecond)
	defer tick.Stop()
	for decided := false; !decided; {
		found, err := st.admin.get("placementdecisions.cluster.open-cluster-management.io", "fleets/hosting-decision-1")
		if err != nil && !apierrors.IsNotFound(err) {
			st.t.Fatal(err)
		}
		if decided = err == nil && strings.Contains(fmt.Sprint(nested(found.Object, "status", "decisions")), "local-cluster"); decided {
			break
		}
		select {
		case <-tick.C:
		case <-deadline:
			st.t.Fatalf("the Placement chooses nothing: %v", found)
		}
	}
	// Each management cluster counts its room for the hub, which makes scores of the counts. One prerequisite is missing
	// by now, so this one has room for none, and the check ends with 3.
	counter := st.person("counter", "publish")
	if told := counter.runs(3, "check", "--publish"); !strings.Contains(told, "Published in ConfigMap hcctl/capacity") {
		st.t.Errorf("check does not say that it has published:\n%s", told)
	}
	st.write("hub-fleet.yaml", hubFleet)
	st.write("pull.json", `{"auths":{"quay.io":{"auth":"YTpi"}}}`)
	apply := []string{"apply", "-f", "hub-fleet.yaml", "--hub", "--copy-secrets", "--move-from", "gone", "--yes", "--placement"}
	fleeter.runs(3, append(apply, "fleets/none")...)
	if told := fleeter.runs(5, "status", "--hub", "-A"); !strings.Contains(told, "ManagedCluster gone is gone") {
		st.t.Errorf("status does not say that a management cluster is gone:\n%s", told)
	}
	fleeter.runs(0, append(apply, "fleets/hosting", "--wait", "none")...)
	fleeter.runs(0, "get", "clusters", "--hub", "-A")
	fleeter.runs(0, "wait", "cluster", "kv-05", "--hub", "--for", "api")
	fleeter.runs(0, "stop", "cluster", "kv-05", "--hub", "--wait", "none", "--yes")
	fleeter.runs(0, "start", "cluster", "-l", "env=dev", "--hub", "--wait", "none", "--yes")
	fleeter.runs(0, "upgrade", "cluster", "kv-05", "--hub", "--wait", "none", "--yes", "--version", "4.20.8")
	fleeter.runs(0, "check", "--hub", "--publish")
	fleeter.runs(0, "delete", "clusters", "-f", "hub-fleet.yaml", "--hub", "--yes")
	left, err := st.admin.list("configmaps", "hcctl-assignments")
	if err != nil {
		st.t.Fatal(err)
	}
	for _, one := range left {
		if strings.HasPrefix(one.GetName(), "hcctl.") {
			st.t.Errorf("%s is left of the assignments", one.GetName())
		}
	}
}

// joinActs has a user create a hosted cluster that its hub manages, look at it, and delete it.
func (st *stage) joinActs() {
	st.t.Helper()
	joiner := st.person("joiner", "tenant", "--namespace", "clusters", "--cluster-name", "kv-07")
	joiner.runs(0, "create", "cluster", "--name", "kv-07", "--cluster-set", "default", "--labels", "env=dev",
		"--node-pool-replicas", "0", "--wait", "api", "--yes")
	if told := joiner.runs(0, "get", "clusters", "-o", "wide"); !strings.Contains(told, "available") {
		st.t.Errorf("get clusters does not say that it is managed:\n%s", told)
	}
	joiner.runs(0, "delete", "cluster", "kv-07", "--yes")
	if _, err := st.admin.get("managedclusters.cluster.open-cluster-management.io", "kv-07"); !apierrors.IsNotFound(err) {
		st.t.Errorf("its ManagedCluster is left: %v", err)
	}
}

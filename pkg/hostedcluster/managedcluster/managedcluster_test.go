package managedcluster_test

import (
	"fmt"
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/managedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

const (
	accepted     = "HubAcceptedManagedCluster"
	joined       = "ManagedClusterJoined"
	availability = "ManagedClusterConditionAvailable"
)

func condition(kind string, status metav1.ConditionStatus, reason, message string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message}
}

func cluster(conditions ...metav1.Condition) *clusterv1.ManagedCluster {
	mc := &clusterv1.ManagedCluster{}
	mc.Name = "kv-00"
	mc.Annotations = map[string]string{managedcluster.DeployModeAnnotation: managedcluster.HostedMode}
	mc.Spec.HubAcceptsClient = true
	mc.Status.Conditions = conditions
	return mc
}

func TestStateOf(t *testing.T) {
	is := func(kind string) metav1.Condition { return condition(kind, metav1.ConditionTrue, "X", "") }
	denied, leaving := cluster(), cluster(is(joined))
	denied.Spec.HubAcceptsClient = false
	leaving.DeletionTimestamp = &metav1.Time{}
	for want, mc := range map[managedcluster.State]*clusterv1.ManagedCluster{
		managedcluster.NotAccepted: denied,
		managedcluster.NotJoined:   cluster(is(accepted)),
		managedcluster.Joined:      cluster(is(accepted), is(joined)),
		managedcluster.Available:   cluster(is(accepted), is(joined), is(availability)),
		managedcluster.Unavailable: cluster(is(joined), condition(availability, metav1.ConditionFalse, "X", "")),
		managedcluster.Unreachable: cluster(is(joined), condition(availability, metav1.ConditionUnknown, "X", "")),
		managedcluster.Detaching:   leaving,
	} {
		if got := managedcluster.StateOf(mc); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Whose a ManagedCluster is decides whether hcctl changes and shows it.
func TestForeign(t *testing.T) {
	made := metav1.Now()
	hc := &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Name: "kv-00", CreationTimestamp: made}}
	hc.Spec.InfraID, hc.Spec.ClusterID = "kv-00-abc", "u-1"
	for name, tc := range map[string]struct {
		change func(*clusterv1.ManagedCluster)
		want   string
	}{
		"its own":        {func(*clusterv1.ManagedCluster) {}, ""},
		"its infraID":    {func(m *clusterv1.ManagedCluster) { m.Labels[hostedcluster.InfraLabel] = "kv-00-abc" }, ""},
		"another's":      {func(m *clusterv1.ManagedCluster) { m.Labels[hostedcluster.InfraLabel] = "x" }, `infraID "x"`},
		"another's UUID": {func(m *clusterv1.ManagedCluster) { m.Labels["clusterID"] = "u-2" }, `clusterID "u-2"`},
		"no hosted one":  {func(m *clusterv1.ManagedCluster) { m.Annotations = nil }, "not that of a hosted cluster"},
		"an older one": {func(m *clusterv1.ManagedCluster) { m.CreationTimestamp = metav1.Unix(1, 0) },
			"before the HostedCluster"},
	} {
		mc := cluster()
		mc.CreationTimestamp, mc.Labels = made, map[string]string{}
		tc.change(mc)
		if got := managedcluster.Foreign(mc, hc); (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// Each thing that can keep a cluster from joining is named, with what to do about it.
func TestDiagnose(t *testing.T) {
	has := condition(accepted, metav1.ConditionTrue, "HubClusterAdminAccepted", "")
	in := condition(joined, metav1.ConditionTrue, "ManagedClusterJoined", "")
	lost := condition(availability, metav1.ConditionUnknown, "ManagedClusterLeaseUpdateStopped",
		"Registration agent stopped")
	const request = "\n---\n{apiVersion: certificates.k8s.io/v1, kind: CertificateSigningRequest, metadata: {name: %s, " +
		"creationTimestamp: %q, labels: {open-cluster-management.io/cluster-name: kv-00}}, status: {%s}}\n"
	denied := cluster(has)
	denied.Spec.HubAcceptsClient = false
	for name, tc := range map[string]struct {
		mc      *clusterv1.ManagedCluster
		objects string
		refuse  string
		want    []string
	}{
		"available": {cluster(has, in, condition(availability, metav1.ConditionTrue, "X", "")), "", "", nil},
		"not accepted": {denied, "", "",
			[]string{"hubAcceptsClient is false", `oc patch managedcluster kv-00 --type=merge`}},
		"no kubeconfig": {cluster(has, condition("ExternalManagedKubeconfigCreatedSucceeded", metav1.ConditionFalse,
			"ExternalManagedKubeconfigNotCreated", "not found")), "", "",
			[]string{"no kubeconfig of the hosted cluster: ExternalManagedKubeconfigNotCreated: not found", "klusterlet-kv-00"}},
		"import failed": {cluster(has, condition("ManagedClusterImportSucceeded", metav1.ConditionFalse,
			"ManagedClusterImportFailed", "no route")), "", "",
			[]string{"its import failed: ManagedClusterImportFailed: no route"}},
		"not imported": {cluster(has, condition("ManagedClusterImportSucceeded", metav1.ConditionFalse,
			"ManagedClusterWaitForImporting", "Wait for importing")), "", "",
			[]string{"not imported yet: ManagedClusterWaitForImporting", "Secret kv-00-import"}},
		"request open": {cluster(has), fmt.Sprintf(request, "kv-00-x", "2026-01-01T00:00:00Z", ""), "",
			[]string{"kv-00-x: nobody has approved it", "oc adm certificate approve"}},
		"request denied": {cluster(has), fmt.Sprintf(request, "kv-00-x", "2026-01-01T00:00:00Z",
			"conditions: [{type: Denied, status: \"True\"}]"), "", []string{"kv-00-x: it was denied"}},
		"newer request answered": {cluster(has), fmt.Sprintf(request, "kv-00-x", "2026-01-01T00:00:00Z", "") +
			fmt.Sprintf(request, "kv-00-y", "2026-01-02T00:00:00Z",
				"certificate: YQ==, conditions: [{type: Approved, status: \"True\"}]"), "",
			[]string{"its klusterlet has not joined yet"}},
		"requests unread": {cluster(has), "", "certificatesigningrequests.certificates.k8s.io",
			[]string{"its klusterlet has not joined yet"}},
		"klusterlet down": {cluster(has, in, lost), "{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: " +
			"klusterlet-kv-00, name: agent, generation: 1}, spec: {replicas: 2}, status: {observedGeneration: 1}}", "",
			[]string{"Deployment klusterlet-kv-00/agent: 0 of 2 pods are ready", "oc -n klusterlet-kv-00 get pods"}},
		"lease stale": {cluster(has, in, lost), "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {namespace: " +
			"kv-00, name: managed-cluster-lease}, spec: {renewTime: \"2026-01-01T00:00:00.000000Z\"}}", "",
			[]string{"Lease kv-00/managed-cluster-lease was renewed ", "has to be every 60 s"}},
		"no API": {cluster(has, in, condition(availability, metav1.ConditionFalse, "ManagedClusterKubeAPIServerUnavailable",
			"refused")), "", "", []string{"does not reach its API server: ManagedClusterKubeAPIServerUnavailable: refused"}},
		"new": {cluster(has, in), "", "", []string{"has joined and has not reported yet"}},
	} {
		t.Run(name, func(t *testing.T) {
			api := kubetest.Serve(t)
			api.Register(t, kube.CertificateSigningRequest, kube.Lease)
			if tc.objects != "" {
				api.Put(t, tc.objects)
			}
			if tc.refuse != "" {
				api.Refuse(tc.refuse, 403)
			}
			got := managedcluster.Diagnose(t.Context(), api.Client, tc.mc)
			if tc.want == nil && got.Message != "" {
				t.Errorf("%+v", got)
			}
			for _, words := range tc.want {
				if !strings.Contains(got.Message+"\n"+got.Hint.String(), words) {
					t.Errorf("%+v has no %q", got, words)
				}
			}
		})
	}
}

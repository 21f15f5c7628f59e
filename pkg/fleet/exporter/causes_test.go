package exporter

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// A cluster that is well by its conditions is no longer once a look into it has found that it has no etcd.
func TestCauses(t *testing.T) {
	hc := well("clusters", "kv-00")
	hc.APIVersion, hc.Kind = "hypershift.openshift.io/v1beta1", "HostedCluster"
	object, err := yaml.Marshal(hc)
	if err != nil {
		t.Fatal(err)
	}
	api := kubetest.Serve(t, string(object))
	f := fleetOf(t, Options{Causes: true}, hc)
	select {
	case <-f.Ready():
		t.Fatal("it is ready before the clusters were looked into")
	default:
	}
	const state = clusterState + `{cluster_namespace="clusters",name="kv-00",phase="no workers",health=`
	if got := text(t, f); !strings.Contains(got, state+`"warning"}`) || !strings.Contains(got, sourceUp+`{kind="Cause"} 0`) {
		t.Error(got)
	}
	f.readCauses(t.Context(), api.Client)
	<-f.Ready()
	got := text(t, f)
	for _, want := range []string{state + `"failing"}`, sourceUp + `{kind="Cause"} 1`,
		clusterCause + `{cluster_namespace="clusters",name="kv-00",kind="StatefulSet",object="etcd",reason="",`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing:\n%s", want, got)
		}
	}
	f.clusters[sorted(f.clusters)[0]].DeletionTimestamp = &hc.CreationTimestamp
	if got := text(t, f); strings.Contains(got, "\n"+clusterCause) {
		t.Errorf("the cause is that of another phase:\n%s", got)
	}
}

package deletion

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/step"
)

// HyperShift's operator makes the HostedCluster the owner of Secrets with both labels: whoever wants to keep them has
// to take it away first. Secrets of the operator's own go with the cluster.
func TestKeptSecretsHaveNoOwner(t *testing.T) {
	const secrets = "patch /api/v1/namespaces/clusters/secrets/"
	owned := func(o hostedtest.Object) {
		m := o["metadata"].(hostedtest.Object)
		m["ownerReferences"] = []any{
			hostedtest.Object{"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "HostedCluster", "name": "kv-00",
				"uid": "uid-of-clusters-kv-00"},
			hostedtest.Object{"apiVersion": "v1", "kind": "ConfigMap", "name": "theirs", "uid": "id-9"},
		}
	}
	goes := func(o hostedtest.Object) {
		owned(o)
		o["metadata"].(hostedtest.Object)["labels"].(hostedtest.Object)[hostedcluster.SafeToDeleteLabel] = "true"
	}
	w := world(t)
	w.Set("Secret", made("clusters", "kv-00-pull-secret", goes), made("clusters", "kv-00-admin-kubeconfig", owned),
		object(hostedtest.MetaOf("clusters", "theirs", hostedtest.Object{hostedcluster.SafeToDeleteLabel: "true"})))
	d := prepared(t, w, func(o *Options) { o.KeepSecrets = true })
	expect(t, d, secretsKeptStep, step.StateMissing, "it would be deleted with the HostedCluster", "Secret clusters/kv-00-pull-secret")
	w.Forbid(secrets + "kv-00-pull-secret")
	fails(t, d, secretsKeptStep, "keep Secret clusters/kv-00-pull-secret: ")
	w.Allow()
	does(t, d, secretsKeptStep, step.Configured)
	expect(t, d, secretsKeptStep, step.StateOK, "none is deleted with the HostedCluster")
	does(t, d, secretsKeptStep, step.Unchanged)

	kept := w.Of("Secret").Object("clusters", "kv-00-pull-secret")["metadata"].(hostedtest.Object)
	owners := kept["ownerReferences"].([]any)
	if len(owners) != 1 || owners[0].(hostedtest.Object)["uid"] != "id-9" {
		t.Errorf("owners: %v", owners)
	}
	other := w.Of("Secret").Object("clusters", "theirs")["metadata"].(hostedtest.Object)
	if other["labels"].(hostedtest.Object)[hostedcluster.SafeToDeleteLabel] != "true" {
		t.Errorf("the Secret of somebody else was changed: %v", other)
	}
	w.Forbid("get " + hostedtest.SecretsPath + "*")
	expect(t, d, secretsKeptStep, step.StateUnknown, "not allowed")
}

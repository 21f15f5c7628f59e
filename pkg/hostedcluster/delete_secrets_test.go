package hostedcluster

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Who may not list Secrets deletes those that have the cluster's names; who may not read those either is told, not taken for done.
func TestSecretsOfWhoMayNotListThem(t *testing.T) {
	secret := func(name string) object {
		return object{"metadata": metaOf("clusters", name, object{InfraLabel: "id"})}
	}
	c := fakeAPI(t, map[string]any{
		clustersPath: items(), mapsPath: items(), secretsPath: refused(),
		secretsPath + "/kv-00-pull-secret": secret("kv-00-pull-secret"), secretsPath + "/kv-00-ssh-key": secret("kv-00-ssh-key"), secretsPath + "/kv-01-ssh-key": secret("kv-01-ssh-key"),
	})
	d := &Deletion{Namespace: "clusters", Name: "kv-00", InfraID: "id", client: c}
	own, err := d.settings(t.Context())
	if err != nil || len(own) != 2 || own[0].GetName() != "kv-00-pull-secret" || own[1].GetName() != "kv-00-ssh-key" || !d.secretsByName.Load() {
		t.Errorf("%v, %v", own, err)
	}
	d = &Deletion{Namespace: "clusters", Name: "kv-00", InfraID: "id", client: fakeAPI(t, map[string]any{secretsPath: refused(), secretsPath + "/kv-00-pull-secret": refused()})}
	if own, err := d.settings(t.Context()); !apierrors.IsForbidden(err) {
		t.Errorf("%v, %v", own, err)
	}
}

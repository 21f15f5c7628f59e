package deletion

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
)

// Who may not list Secrets deletes those that have the cluster's names; who may not read those either is told, not
// taken for done.
func TestSecretsOfWhoMayNotListThem(t *testing.T) {
	secret := func(name string) hostedtest.Object {
		return hostedtest.Object{"metadata": hostedtest.MetaOf("clusters", name, hostedtest.Object{hostedcluster.InfraLabel: "id"})}
	}
	c := hostedtest.ReadOnly(t, map[string]any{
		hostedtest.ClustersPath: hostedtest.Items(),
		hostedtest.MapsPath:     hostedtest.Items(),
		hostedtest.SecretsPath:  hostedtest.Refused(),
		hostedtest.SecretsPath + "/kv-00-pull-secret": secret(
			"kv-00-pull-secret",
		),
		hostedtest.SecretsPath + "/kv-00-ssh-key": secret("kv-00-ssh-key"),
		hostedtest.SecretsPath + "/kv-01-ssh-key": secret("kv-01-ssh-key"),
	})
	d := &Plan{Namespace: "clusters", Name: "kv-00", InfraID: "id", client: c}
	own, err := d.companions(t.Context(), d.client)
	if err != nil || len(own) != 2 || own[0].GetName() != "kv-00-pull-secret" || own[1].GetName() != "kv-00-ssh-key" ||
		!d.secretsByName.Load() {
		t.Errorf("%v, %v", own, err)
	}
	d = &Plan{
		Namespace: "clusters",
		Name:      "kv-00",
		InfraID:   "id",
		client: hostedtest.ReadOnly(
			t,
			map[string]any{
				hostedtest.SecretsPath:                        hostedtest.Refused(),
				hostedtest.SecretsPath + "/kv-00-pull-secret": hostedtest.Refused(),
			},
		),
	}
	if own, err := d.companions(t.Context(), d.client); !apierrors.IsForbidden(err) {
		t.Errorf("%v, %v", own, err)
	}
}

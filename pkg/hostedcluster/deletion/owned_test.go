package deletion

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// evil is a hosted cluster whose spec its owner chose: the InfraID is the victim's.
func evil(uid types.UID) *Plan {
	return &Plan{
		Namespace: "team-evil",
		Name:      "evil",
		InfraID:   "kv-00-abcde",
		self:      hostedcluster.Identity{Namespace: "team-evil", Name: "evil", UID: uid},
		present:   uid != "",
		clusters:  []hostedcluster.Identity{{Namespace: "clusters", Name: "kv-00", UID: "victim", InfraID: "kv-00-abcde"}},
	}
}

// markedSecret is a Secret with a mark; empty parts are left out.
func markedSecret(namespace, name, cluster, uid, infraID string) *corev1.Secret {
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Namespace:     namespace,
		Name:          name,
		Labels:        map[string]string{kube.ManagedByLabel: kube.FieldOwner},
		Annotations:   map[string]string{},
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: kube.FieldOwner}},
	}}
	for key, value := range map[string]string{hostedcluster.ClusterAnnotation: cluster,
		hostedcluster.ClusterUIDAnnotation: uid} {
		if value != "" {
			s.Annotations[key] = value
		}
	}
	if infraID != "" {
		s.Labels[hostedcluster.InfraLabel] = infraID
	}
	return s
}

// TestOwns: which Secrets of its own namespace go with a HostedCluster, and which objects elsewhere.
func TestOwns(t *testing.T) {
	here := func(name, cluster, uid, infraID string) client.Object {
		return markedSecret("team-evil", name, cluster, uid, infraID)
	}
	there := func(cluster, uid, infraID string) client.Object {
		return markedSecret("metallb-system", "anything", cluster, uid, infraID)
	}
	const own, victim, infra = "team-evil/evil", "clusters/kv-00", "kv-00-abcde"
	for name, tc := range map[string]struct {
		object client.Object
		// here is by a HostedCluster that exists, gone by one that is gone; made is elsewhere.
		owns, ownsGone, made, madeGone bool
	}{
		"marked":                          {here("any", own, "u1", infra), true, true, true, true},
		"of an earlier one of its name":   {here("evil-pull-secret", own, "u0", infra), false, true, false, true},
		"of the victim":                   {here("evil-pull-secret", victim, "victim", infra), false, false, false, false},
		"its name, the victim's UID":      {here("any", own, "victim", infra), false, false, false, false},
		"without UID":                     {here("any", own, "", infra), true, true, true, true},
		"without UID, another infraID":    {here("any", own, "", "evil-00000"), false, false, false, false},
		"no mark, a name of its own":      {here("evil-pull-secret", "", "", infra), true, true, false, false},
		"no mark, another name":           {here("backup", "", "", infra), false, false, false, false},
		"no mark, another infraID":        {here("evil-pull-secret", "", "", "evil-00000"), false, false, false, false},
		"elsewhere, marked":               {there(own, "u1", infra), true, true, true, true},
		"elsewhere, of the victim":        {there(victim, "victim", infra), false, false, false, false},
		"elsewhere, of victim, without":   {there(victim, "", infra), false, false, false, false},
		"elsewhere, a copied label alone": {there("", "", infra), false, false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			there, gone := evil("u1"), evil("")
			got := []bool{there.owns(tc.object), gone.owns(tc.object), there.createdFor(tc.object), gone.createdFor(tc.object)}
			if want := []bool{tc.owns, tc.ownsGone, tc.made, tc.madeGone}; !slices.Equal(got, want) {
				t.Errorf("exists: owns, gone: owns, exists: made, gone: made: %v, want %v", got, want)
			}
		})
	}
	t.Run("by somebody else", func(t *testing.T) {
		o := markedSecret("metallb-system", "x", own, "u1", infra)
		o.ManagedFields[0].Manager = "kubectl"
		if evil("u1").createdFor(o) {
			t.Error("taken though hcctl did not write it")
		}
	})
	t.Run("owned by the HostedCluster", func(t *testing.T) {
		o := markedSecret("team-evil", "evil-custom", "", "", "")
		o.OwnerReferences = []metav1.OwnerReference{{UID: "u1"}}
		if !evil("u1").owns(o) || evil("u2").owns(o) {
			t.Error("the owner reference does not count")
		}
	})
	t.Run("others cannot be listed", func(t *testing.T) {
		d := evil("u1")
		d.listError = "not allowed"
		if d.owns(here("evil-pull-secret", "", "", infra)) || !d.owns(here("any", own, "u1", infra)) {
			t.Error("more is taken than the full mark proves, or less")
		}
	})
}

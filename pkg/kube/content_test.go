package kube

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestInnate(t *testing.T) {
	for name, tc := range map[string]struct {
		kind string
		meta metav1.ObjectMeta
		want bool
	}{
		"root CA":         {"ConfigMap", metav1.ObjectMeta{Name: "kube-root-ca.crt"}, true},
		"a ConfigMap":     {"ConfigMap", metav1.ObjectMeta{Name: "user-ca-bundle"}, false},
		"default account": {"ServiceAccount", metav1.ObjectMeta{Name: "default"}, true},
		"an account":      {"ServiceAccount", metav1.ObjectMeta{Name: "mine"}, false},
		"its token": {"Secret", metav1.ObjectMeta{Name: "builder-dockercfg-x",
			Annotations: map[string]string{"kubernetes.io/service-account.name": "builder"}}, true},
		"a Secret": {"Secret", metav1.ObjectMeta{Name: "mine"}, false},
		"an account's token": {"Secret", metav1.ObjectMeta{Name: "x",
			Annotations: map[string]string{"kubernetes.io/service-account.name": "mine"}}, false},
		"image pullers": {"RoleBinding", metav1.ObjectMeta{Name: "system:image-pullers"}, true},
		"a copied CSV": {"ClusterServiceVersion",
			metav1.ObjectMeta{Name: "x", Labels: map[string]string{"olm.copiedFrom": "y"}}, true},
		"an installed CSV":      {"ClusterServiceVersion", metav1.ObjectMeta{Name: "x"}, false},
		"an event":              {"Event", metav1.ObjectMeta{Name: "x"}, true},
		"another HostedCluster": {"HostedCluster", metav1.ObjectMeta{Name: "other"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := isDefaultContent(tc.kind, &metav1.PartialObjectMetadata{ObjectMeta: tc.meta}); got != tc.want {
				t.Errorf("innate: %t, want %t", got, tc.want)
			}
		})
	}
}

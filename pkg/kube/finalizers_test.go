package kube

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestFinalizers(t *testing.T) {
	for name, tc := range map[string]struct {
		finalizers []string
		manager    string
		fields     string
		want       string
	}{
		"none": {nil, "", "", ""},
		"one that is known": {[]string{"kubernetes.io/pvc-protection"}, "x",
			`{"f:metadata":{"f:finalizers":{"v:\"kubernetes.io/pvc-protection\"":{}}}}`,
			"kubernetes.io/pvc-protection (Kubernetes, once no pod uses the volume)"},
		"the one below it holds it": {[]string{"machine.cluster.x-k8s.io"}, "", "",
			"machine.cluster.x-k8s.io (Cluster API, Deployment cluster-api, once its KubevirtMachine is gone, which " +
				"Deployment capi-provider removes)"},
		"who put it on is told": {[]string{"example.com/mine"}, "my-tool",
			`{"f:metadata":{"f:finalizers":{".":{},"v:\"example.com/mine\"":{}}}}`, "example.com/mine (put on by my-tool)"},
		"who wrote another": {[]string{"example.com/mine"}, "my-tool",
			`{"f:metadata":{"f:finalizers":{"v:\"example.com/other\"":{}}}}`, "example.com/mine"},
		"nobody is told": {[]string{"example.com/a", "example.com/b"}, "", "", "example.com/a, example.com/b"},
	} {
		t.Run(name, func(t *testing.T) {
			o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Finalizers: tc.finalizers}}
			if tc.fields != "" {
				o.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: tc.manager, FieldsV1: metav1.NewFieldsV1(tc.fields)}}
			}
			if got := Finalizers(o); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

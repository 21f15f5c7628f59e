package hostedcluster_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

func TestKindsAreRecorded(t *testing.T) {
	object := func(gvk schema.GroupVersionKind) client.Object {
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(gvk)
		return u
	}
	pod := corev1.SchemeGroupVersion.WithKind("Pod")
	for name, made := range map[string][]schema.GroupVersionKind{
		"none but the usual":        {kube.ConfigMap.GroupVersionKind, kube.IPAddressPool.GroupVersionKind},
		"others, one of them twice": {kube.CronJob.GroupVersionKind, pod, kube.CronJob.GroupVersionKind},
	} {
		t.Run(name, func(t *testing.T) {
			secret := &corev1.Secret{}
			var objects []client.Object
			for _, gvk := range made {
				objects = append(objects, object(gvk))
			}
			hostedcluster.RecordKinds(secret, objects)
			got, recorded := hostedcluster.RecordedKinds(secret)
			if !recorded {
				t.Fatalf("no kinds in %q", secret.Annotations[hostedcluster.KindsAnnotation])
			}
			for _, gvk := range append(hostedcluster.UsualKinds(), made...) {
				if !slices.Contains(got, gvk) {
					t.Errorf("%s is not among %v", gvk, got)
				}
			}
		})
	}
}

func TestAListThatCannotBeReadIsNone(t *testing.T) {
	for name, annotations := range map[string]map[string]string{
		"none":       nil,
		"no kind":    {hostedcluster.KindsAnnotation: "CronJob"},
		"a gap":      {hostedcluster.KindsAnnotation: "CronJob.v1.batch,,Pod.v1."},
		"too many":   {hostedcluster.KindsAnnotation: strings.Repeat("Pod.v1.,", 40) + "Pod.v1."},
		"no version": {hostedcluster.KindsAnnotation: "Pod.."},
	} {
		secret := &corev1.Secret{}
		secret.Annotations = annotations
		if kinds, recorded := hostedcluster.RecordedKinds(secret); recorded {
			t.Errorf("%s: got %v", name, kinds)
		}
	}
}

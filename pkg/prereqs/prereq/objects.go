package prereq

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
)

// NewObject returns an object of the kind for Apply.
func NewObject(kind kube.Kind, namespace, name string, spec map[string]any) *unstructured.Unstructured {
	u := kind.New()
	u.SetNamespace(namespace)
	u.SetName(name)
	u.Object["spec"] = spec
	return u
}

// Replicas returns the desired replicas of a Deployment, 1 by default.
func Replicas(d *appsv1.Deployment) int32 {
	if d.Spec.Replicas == nil {
		return 1
	}
	return *d.Spec.Replicas
}

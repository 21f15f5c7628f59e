package kubetest

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// RollOut gives a Deployment of one pod the status that Kubernetes' controller writes once the pod is available.
func RollOut(d *unstructured.Unstructured) {
	d.Object["status"] = map[string]any{
		"observedGeneration": d.GetGeneration(), "replicas": int64(1), "updatedReplicas": int64(1),
		"readyReplicas": int64(1), "availableReplicas": int64(1),
		"conditions": []any{
			map[string]any{"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable"},
			map[string]any{"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"},
		},
	}
}

// Package healthtest sets the status of Deployments like the Deployment controller, for tests.
package healthtest

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// RolledOut returns the status, as JSON, of a Deployment of generation 1 with that many pods, of which some are updated
// and ready.
func RolledOut(pods, updated, ready int) string {
	return fmt.Sprintf(`{"observedGeneration": 1, "replicas": %d, "updatedReplicas": %d, "readyReplicas": %d, `+
		`"availableReplicas": %[3]d, "conditions": [{"type": "Available", "status": "True", "reason": `+
		`"MinimumReplicasAvailable"}, {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"}]}`,
		pods, updated, ready)
}

// RollOut sets generation 1 and the status of a Deployment whose one pod is available.
func RollOut(d *unstructured.Unstructured) {
	status := map[string]any{}
	if err := json.Unmarshal([]byte(RolledOut(1, 1, 1)), &status); err != nil {
		panic(err)
	}
	d.SetGeneration(1)
	d.Object["status"] = status
}

package operator

import (
	"encoding/json"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// manager is the field manager of everything that the sandbox itself writes: the name in its user agent.
const manager = "hcctl-sandbox"

// WrittenByOthers reports whether a user or a test has written a field of an object's status, such as
// containerStatuses, or conditions and the key of one. The sandbox leaves such a field as it is. The object must have
// its managed fields, so it may not come from a cache.
func WrittenByOthers(o client.Object, path ...string) bool {
	for _, entry := range o.GetManagedFields() {
		if entry.Manager == manager || entry.FieldsV1 == nil {
			continue
		}
		fields := map[string]any{}
		if err := json.Unmarshal(entry.FieldsV1.Raw, &fields); err != nil {
			continue
		}
		if has(fields, append([]string{"f:status"}, path...)) {
			return true
		}
	}
	return false
}

// ConditionPath is the path of a condition's status for WrittenByOthers.
func ConditionPath(kind string) []string {
	key, err := json.Marshal(map[string]string{"type": kind})
	if err != nil {
		return nil // a string always has a JSON form
	}
	return []string{"f:conditions", "k:" + string(key), "f:status"}
}

func has(fields map[string]any, path []string) bool {
	for _, step := range path {
		next, ok := fields[step].(map[string]any)
		if !ok {
			return false
		}
		fields = next
	}
	return true
}

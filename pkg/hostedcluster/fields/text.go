package fields

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Text returns a field's value in the form of its option: lists and maps of strings with commas, everything else as
// JSON.
func Text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case map[string]any:
		return mapText(v)
	case []any:
		return listText(v)
	}
	return fmt.Sprint(value)
}

func mapText(m map[string]any) string {
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		switch v := m[key].(type) {
		case string:
			// The last-applied annotation of kubectl repeats the whole object.
			if key != corev1.LastAppliedConfigAnnotation {
				pairs = append(pairs, key+"="+v)
			}
		default:
			return jsonText(m)
		}
	}
	return strings.Join(pairs, ",")
}

func listText(list []any) string {
	var texts []string
	for _, one := range list {
		switch v := one.(type) {
		case string:
			texts = append(texts, v)
			continue
		case map[string]any:
			// The networks of a cluster are {"cidr": "10.132.0.0/14"}.
			if cidr, is := v["cidr"].(string); is && len(v) == 1 {
				texts = append(texts, cidr)
				continue
			}
		}
		return jsonText(list)
	}
	return strings.Join(texts, ",")
}

func jsonText(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(data)
}

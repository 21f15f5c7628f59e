package describe

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// preferred are the options that stand for a place that several of them write.
var preferred = []string{"servicePublishingStrategy", "vmJSONPatch"}

// applied is kubectl's annotation with the whole object, which says nothing new.
const applied = "kubectl.kubernetes.io/last-applied-configuration"

// settings are the options of the table whose places in the object have a value.
func settings(u *unstructured.Unstructured, fields []options.Field) []Setting {
	var out []Setting
	written := map[string]int{}
	for _, f := range fields {
		path := pathOf(u.GetKind(), f.Writes)
		if path == nil {
			continue
		}
		value, found, err := unstructured.NestedFieldNoCopy(u.Object, path...)
		if err != nil || !found {
			continue
		}
		text := line(valueText(value))
		if text == "" {
			continue
		}
		one := Setting{Group: string(f.Group), Option: f.Name, Flag: f.Flag, Value: text}
		key := strings.Join(path, "\x00")
		if at, again := written[key]; !again {
			written[key] = len(out)
			out = append(out, one)
		} else if slices.Contains(preferred, f.Name) {
			out[at] = one
		}
	}
	return out
}

// pathOf is the place in an object of this kind that an option writes; nil if it writes none.
func pathOf(kind, writes string) []string {
	for _, place := range strings.Split(writes, ", ") {
		if path, is := strings.CutPrefix(place, kind+" "); is {
			return options.Dotted(path)
		}
	}
	return nil
}

// valueText is a value as an option would have it: lists and maps of texts with commas, all else as JSON.
func valueText(value any) string {
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
			if key != applied {
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

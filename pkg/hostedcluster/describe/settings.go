package describe

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/hostedcluster/fields"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// preferred lists the options that are shown for a field that several options write.
var preferred = []string{"servicePublishingStrategy", "vmJSONPatch"}

// settings returns the options whose fields have a value in the object.
func settings(u *unstructured.Unstructured, known []options.Field) []Setting {
	var out []Setting
	written := map[string]int{}
	for _, f := range known {
		path := f.Path(u.GetKind())
		if path == nil {
			continue
		}
		value, found, err := unstructured.NestedFieldNoCopy(u.Object, path...)
		if err != nil || !found {
			continue
		}
		text := line(fields.Text(value))
		if text == "" {
			continue
		}
		one := Setting{Group: string(f.Group), Option: f.Name, Flag: f.Flag, Value: text}
		key := strings.Join(path, "\x00")
		if at, exists := written[key]; !exists {
			written[key] = len(out)
			out = append(out, one)
		} else if slices.Contains(preferred, f.Name) {
			out[at] = one
		}
	}
	return out
}

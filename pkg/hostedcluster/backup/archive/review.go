package archive

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Fact is a field of an archive's HostedCluster or NodePools that decides which code runs in the control plane or in
// VMs. A user who did not write the archive has to review them: Read cannot verify their values.
type Fact struct {
	// Object names the object, such as "NodePool kv-00".
	Object string `json:"object"`
	// Field is the path of the field or the name of the annotation.
	Field string `json:"field"`
	Value string `json:"value"`
}

func (f Fact) String() string { return fmt.Sprintf("%s: %s is %s", f.Object, f.Field, f.Value) }

// Facts returns the images, the mirrors and the annotations, which may contain patches and images. It omits hcctl's own
// annotations.
func (c *Content) Facts() []Fact {
	var all []Fact
	for _, o := range c.Objects {
		if o.GetKind() != "HostedCluster" && o.GetKind() != "NodePool" {
			continue
		}
		of := o.GetKind() + " " + o.GetName()
		all = append(all, imagesIn(of, "spec", o.Object["spec"])...)
		annotations := o.GetAnnotations()
		for _, name := range slices.Sorted(maps.Keys(annotations)) {
			if !strings.HasPrefix(name, "hcctl.dev/") {
				all = append(all, Fact{of, name, annotations[name]})
			}
		}
	}
	return all
}

// imagesIn returns the image fields and the lists of mirrors in a value.
func imagesIn(object, path string, value any) []Fact {
	var all []Fact
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			at := path + "." + key
			text, isText := v[key].(string)
			switch {
			case isText && (strings.HasSuffix(strings.ToLower(key), "image") || key == "source"):
				all = append(all, Fact{object, at, text})
			case key == "mirrors":
				all = append(all, Fact{object, at, fmt.Sprint(v[key])})
			default:
				all = append(all, imagesIn(object, at, v[key])...)
			}
		}
	case []any:
		for i, item := range v {
			all = append(all, imagesIn(object, fmt.Sprintf("%s[%d]", path, i), item)...)
		}
	}
	return all
}

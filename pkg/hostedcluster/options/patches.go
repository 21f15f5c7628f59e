package options

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/hcctl/hcctl/internal/document"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// Patch changes fields of an object that no option writes: a merge patch (RFC 7386) or a JSON Patch (RFC 6902). At most
// one of the two is set.
type Patch struct {
	Merge      map[string]any
	Operations []operation
}

// IsZero reports whether there is nothing to patch.
func (p Patch) IsZero() bool { return p.Merge == nil && p.Operations == nil }

// ParsePatch reads a patch in YAML or JSON: a map is a merge patch, a list a JSON Patch.
func ParsePatch(content []byte) (Patch, error) {
	doc, err := document.One(content, "one patch")
	if err != nil {
		return Patch{}, err
	}
	switch data := bytes.TrimSpace(doc.JSON); {
	case bytes.HasPrefix(data, []byte("[")):
		operations, err := parsePatch(content)
		return Patch{Operations: operations}, err
	case bytes.HasPrefix(data, []byte("{")):
		var p Patch
		if err := doc.Loose(&p.Merge); err != nil {
			return Patch{}, fmt.Errorf("not a merge patch: %w", err)
		}
		if len(p.Merge) == 0 {
			return Patch{}, errors.New("the patch is empty")
		}
		return p, nil
	}
	return Patch{}, errors.New(`neither a merge patch, a map like {"spec":{"issuerURL":"https://a.example"}}, nor a ` +
		`JSON Patch, a list like [{"op":"add","path":"/spec/issuerURL","value":"https://a.example"}]`)
}

// touched lists the fields that a patch changes, each as the patch writes it and split into its parts.
func (p Patch) touched() []touchedField {
	var all []touchedField
	for _, op := range p.Operations {
		if op.Op == "test" {
			continue
		}
		var value map[string]any
		if op.Value != nil && json.Unmarshal(op.Value, &value) == nil && len(value) > 0 {
			option.Leaves(value, pointerParts(op.Path), func(path []string, _ any) {
				all = append(all, touchedField{op.Path, path})
			})
			continue
		}
		all = append(all, touchedField{op.Path, pointerParts(op.Path)})
		if op.Op == "move" {
			all = append(all, touchedField{op.From, pointerParts(op.From)})
		}
	}
	option.Leaves(p.Merge, nil, func(path []string, _ any) {
		all = append(all, touchedField{strings.Join(path, "."), path})
	})
	return all
}

type touchedField struct {
	text string
	path []string
}

// pointerParts splits a JSON pointer (RFC 6901) into its parts.
func pointerParts(pointer string) []string {
	if pointer == "" {
		return nil
	}
	parts := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i := range parts {
		parts[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(parts[i])
	}
	return parts
}

// parsePatches parses the patch of the HostedCluster.
func (o Cluster) parsePatches(v *validated) error {
	if err := o.Patches.validate("patches", into(&v.Patches, ParsePatch)); err != nil {
		return err
	}
	if err := v.Patches.check(hostedcluster.HostedClusterKind, Fields(), o); err != nil {
		return err
	}
	return o.OperatorConfiguration.validate("operatorConfiguration", func(content []byte) error {
		p, err := ParsePatch(content)
		switch {
		case err != nil:
			return fmt.Errorf("not the YAML of spec.operatorConfiguration of a HostedCluster: %w", err)
		case p.Merge == nil:
			return errors.New("not the YAML of spec.operatorConfiguration of a HostedCluster")
		}
		p.Merge = map[string]any{"spec": map[string]any{"operatorConfiguration": p.Merge}}
		rows := slices.DeleteFunc(Fields(), func(f Field) bool { return f.Name == "operatorConfiguration" })
		if err := p.check(hostedcluster.HostedClusterKind, rows, o); err != nil {
			return err
		}
		if v.Patches.Operations != nil {
			return fmt.Errorf("not together with a JSON Patch; make %s a merge patch", hint.Flag("patch-hosted-cluster"))
		}
		if v.Patches.Merge == nil {
			v.Patches.Merge = map[string]any{}
		}
		spec, _ := v.Patches.Merge["spec"].(map[string]any)
		spec = maps.Clone(spec)
		if spec == nil {
			spec = map[string]any{}
		}
		spec["operatorConfiguration"] = p.Merge["spec"].(map[string]any)["operatorConfiguration"]
		v.Patches.Merge["spec"] = spec
		return nil
	})
}

// parsePatches parses the patch of the NodePool.
func (p NodePool) parsePatches(v *validatedPool) error {
	if err := p.Patches.validate("patches", into(&v.Patches, ParsePatch)); err != nil {
		return err
	}
	return v.Patches.check("NodePool", NodePoolFields(), p)
}

// check returns an error for each field of the patch that hcctl itself writes. The error's value is the path in the
// patch.
func (p Patch) check(kind string, rows []Field, given any) error {
	var errs []error
	for _, t := range p.touched() {
		if why := owner(kind, t.path, rows, given); why != "" {
			errs = append(errs, Errorf("patches", t.text, "%s", why))
		}
	}
	return errors.Join(errs...)
}

// minPathLen is the minimum length of a field's path: spec and its name.
const minPathLen = 2

// CheckChanges refuses patched fields of the HostedCluster that hcctl itself writes. Unlike check, it also finds
// changes that the text of a JSON Patch does not name, because the patch replaces a whole field. changes is a merge
// patch.
func (v Validated) CheckChanges(changes map[string]any) error {
	// patchOnly allows a field of this list; a merge patch holds the whole list.
	if at, _, _ := unstructured.NestedMap(changes, "spec", "networking"); len(at) == 1 && at["clusterNetwork"] != nil {
		changes = runtime.DeepCopyJSON(changes)
		unstructured.RemoveNestedField(changes, "spec", "networking")
		if spec, _, _ := unstructured.NestedMap(changes, "spec"); len(spec) == 0 {
			delete(changes, "spec")
		}
	}
	rows := slices.DeleteFunc(Fields(), func(f Field) bool { return f.Name == "operatorConfiguration" })
	return Patch{Merge: changes}.check(hostedcluster.HostedClusterKind, rows, v.given)
}

// CheckChanges does the same for the NodePool.
func (v ValidatedPool) CheckChanges(changes map[string]any) error {
	return Patch{Merge: changes}.check("NodePool", NodePoolFields(), NodePool(v.plainPool))
}

// owner returns why a patch must not change a field, or "" if it may.
func owner(kind string, path []string, rows []Field, given any) string {
	if len(path) == 0 || len(path) < minPathLen && (path[0] == "spec" || path[0] == "metadata") {
		return "replaces more than one field; name each field, such as /spec/issuerURL"
	}
	for _, f := range rows {
		fieldPath := f.Path(kind)
		isPatch := strings.Contains(f.Writes, "["+hostedcluster.PatchesAnnotation+"]")
		if fieldPath == nil || f.Beside || isPatch && !overlap(path, []string{"spec", "operatorConfiguration"}) ||
			!overlap(path, fieldPath) || patchOnly(path) {
			continue
		}
		// Such an option only names its own object here, and a patch may name another one.
		if object, _, _ := strings.Cut(f.Writes, " "); object != kind &&
			option.At(reflect.ValueOf(given), f.Name).IsZero() {
			continue
		}
		if f.Flag == "" {
			return "hcctl writes it itself"
		}
		return fmt.Sprintf("%s writes %s; use it instead", hint.Flag(f.Flag), strings.Join(fieldPath, "."))
	}
	for _, own := range ownFields(kind) {
		if overlap(path, option.Dotted(own)) {
			return "hcctl writes it itself"
		}
	}
	switch {
	case path[0] == "spec":
		return ""
	case len(path) > minPathLen && path[0] == "metadata" && (path[1] == "labels" || path[1] == "annotations"):
		if strings.HasPrefix(path[2], "hcctl.dev/") {
			return "hcctl works by it"
		}
		return ""
	}
	return "only fields of spec, labels and annotations can be patched"
}

// ownFields are written whatever the options say. hcctl relies on them.
func ownFields(kind string) []string {
	own := []string{"spec.platform.type", "metadata.labels[" + hostedcluster.InfraLabel + "]"}
	if kind == hostedcluster.HostedClusterKind {
		return append(own, "spec.platform.kubevirt.baseDomainPassthrough")
	}
	return append(own, "spec.clusterName")
}

// overlap reports whether a change of one field changes the other: they are equal, or one contains the other.
func overlap(a, b []string) bool {
	n := min(len(a), len(b))
	return slices.Equal(a[:n], b[:n])
}

// patchOnly reports whether a field of a list item has no option, so that only a patch can set it. That is hostPrefix:
// --cluster-cidr has none.
func patchOnly(path []string) bool {
	const places = 5 // spec, networking, clusterNetwork, an index, hostPrefix
	return len(path) == places && path[1] == "networking" && path[2] == "clusterNetwork" && path[places-1] == "hostPrefix"
}

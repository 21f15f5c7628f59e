package convert

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/hcctl/hcctl/internal/jsonpatch"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// patch compares the objects with what the options write, and adds patches for the differences.
func (r *reader) patch() {
	o := &r.out.Options
	plain := options.Unchecked(*o) //nolint:forbidigo // it is compared, not written; what is wrong is said of the whole
	in := objects.Inputs{InfraID: o.InfraID, ReleaseImage: o.ReleaseImage}
	lacks := Lacking(objects.Content(objects.UnpatchedHostedCluster(plain, in)), r.hc.Fields)
	if configuration, _, _ := unstructured.NestedMap(lacks, "spec", "operatorConfiguration"); len(configuration) > 0 {
		o.OperatorConfiguration.Content, _ = json.Marshal(configuration) // it was read from JSON
		unstructured.RemoveNestedField(lacks, "spec", "operatorConfiguration")
	}
	o.Patches.Content = patchOf(prune(lacks), objects.Content(objects.UnpatchedHostedCluster(plain, in)))
	for i, pool := range r.pools {
		written := objects.Content(objects.TypedNodePool(plain, plain.NodePools[i], in))
		o.NodePools[i].Patches.Content = patchOf(Lacking(written, pool.Fields), written)
	}
	valid, err := o.Validate()
	if r.addErrors(err); err != nil {
		return
	}
	if err := objects.CheckPatches(valid, in); err != nil {
		r.addErrors(err)
		return
	}
	r.checkLost(r.hc, objects.HostedCluster(valid, in))
	for i, pool := range r.pools {
		r.checkLost(pool, objects.NodePool(valid, valid.NodePools[i], in))
	}
}

// checkLost adds findings for fields of the object that the written object lacks. There are none, unless this package
// has a bug.
func (r *reader) checkLost(o Object, written client.Object) {
	option.Leaves(Lacking(objects.Content(written), o.Fields), nil, func(path []string, _ any) {
		r.out.Findings = append(r.out.Findings, o.finding(dotted(path), "cannot be said in a Cluster document"))
	})
}

// addErrors adds findings for invalid options or patches, at the line of the object's field.
func (r *reader) addErrors(err error) {
	if joined, many := err.(interface{ Unwrap() []error }); many {
		for _, one := range joined.Unwrap() {
			r.addErrors(one)
		}
		return
	}
	var wrong *option.Error
	switch {
	case err == nil:
		return
	case !errors.As(err, &wrong):
		r.out.Findings = append(r.out.Findings, r.hc.finding("", "%v", err))
		return
	}
	o, rows := r.hc, options.Fields()
	if wrong.Pool != nil && *wrong.Pool < len(r.pools) {
		o, rows = r.pools[*wrong.Pool], options.NodePoolFields()
	}
	field := ""
	if i := slices.IndexFunc(rows, func(f options.Field) bool { return f.Name == wrong.Field }); i >= 0 {
		field = strings.Join(rows[i].Path(o.unstructured().GetKind()), ".")
	}
	switch wrong.Field {
	case "patches":
		field = strings.ReplaceAll(strings.Trim(wrong.Text(), "/"), "/", ".")
	case "name":
		field = "metadata.name"
	case "namespace":
		field = "metadata.namespace"
	}
	bySchema := func(f Finding) bool { return f.bySchema && f.Object == o.name() && f.Field == field }
	if wrong.Field == "patches" && slices.ContainsFunc(r.out.Findings, bySchema) {
		return // the schema already reports the value
	}
	// The message about the option is plainer than that of the schema.
	r.out.Findings = append(slices.DeleteFunc(r.out.Findings, bySchema),
		o.finding(field, "%s", strings.TrimSpace(wrong.Sentence())))
}

// patchOf returns the patch that adds the lacking fields to the written object: a merge patch if possible, else a JSON
// patch.
func patchOf(lacks, written map[string]any) []byte {
	if len(lacks) == 0 {
		return nil
	}
	prefixes := hostPrefixes(lacks, written)
	if len(prefixes) == 0 {
		data, _ := json.Marshal(lacks) // it was read from JSON
		return data
	}
	data, _ := json.Marshal(append(prefixes, additions(lacks, written, "")...))
	return data
}

// hostPrefixes returns operations for the host prefixes of the cluster networks. They are in a list and have no option,
// so a merge patch alone cannot set them.
func hostPrefixes(lacks, written map[string]any) []jsonpatch.Operation {
	path := []string{"spec", "networking", "clusterNetwork"}
	networks, found, _ := unstructured.NestedSlice(lacks, path...)
	have, _, _ := unstructured.NestedSlice(written, path...)
	if !found || len(networks) != len(have) {
		return nil
	}
	var all []jsonpatch.Operation
	for i := range networks {
		is, _ := networks[i].(map[string]any)
		if prefix, has := is["hostPrefix"]; has {
			value, _ := json.Marshal(prefix)
			all = append(all, jsonpatch.Operation{Op: "add", Value: value,
				Path: fmt.Sprintf("/spec/networking/clusterNetwork/%d/hostPrefix", i)})
		}
	}
	unstructured.RemoveNestedField(lacks, path...)
	prune(lacks)
	return all
}

// additions returns operations that are equivalent to a merge patch.
func additions(lacks, written map[string]any, at string) []jsonpatch.Operation {
	var all []jsonpatch.Operation
	for _, key := range slices.Sorted(maps.Keys(lacks)) {
		path := at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
		inner, nested := lacks[key].(map[string]any)
		if has, there := written[key].(map[string]any); nested && there {
			all = append(all, additions(inner, has, path)...)
			continue
		}
		value, _ := json.Marshal(lacks[key])
		all = append(all, jsonpatch.Operation{Op: "add", Path: path, Value: value})
	}
	return all
}

// prune removes empty maps.
func prune(m map[string]any) map[string]any {
	for key, value := range m {
		if inner, is := value.(map[string]any); is && len(prune(inner)) == 0 {
			delete(m, key)
		}
	}
	return m
}

// Lacking returns the spec fields, labels and annotations of an object that the written object lacks, as a merge patch.
func Lacking(written, object map[string]any) map[string]any {
	out := map[string]any{}
	if spec, is := object["spec"].(map[string]any); is {
		has, _ := written["spec"].(map[string]any)
		if lacks := lacking(has, spec); len(lacks) > 0 {
			out["spec"] = lacks
		}
	}
	for _, field := range []string{"labels", "annotations"} {
		has, _, _ := unstructured.NestedMap(written, "metadata", field)
		of, _, _ := unstructured.NestedMap(object, "metadata", field)
		delete(of, hostedcluster.PatchesAnnotation)
		if lacks := lacking(has, of); len(lacks) > 0 {
			_ = unstructured.SetNestedMap(out, lacks, "metadata", field)
		}
	}
	return out
}

func lacking(written, object map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range object {
		inner, nested := value.(map[string]any)
		has, there := written[key].(map[string]any)
		switch {
		case nested && len(inner) == 0 || value == nil:
		case nested:
			if lacks := lacking(has, inner); len(lacks) > 0 {
				out[key] = lacks
			}
		case there || !equivalent(key, written[key], value):
			out[key] = value
		}
	}
	return out
}

// equivalent reports whether two values are equivalent: quantities in other units, durations, JSON in a string,
// services in another order, and empty values that are not written.
func equivalent(key string, a, b any) bool {
	if a == nil && (b == "" || reflect.DeepEqual(b, []any{})) {
		return true
	}
	if key == "services" {
		return byService(a) == byService(b)
	}
	have, isList := a.([]any)
	of, isList2 := b.([]any)
	if isList && isList2 && len(have) == len(of) && len(of) > 0 {
		return coversAll(have, of)
	}
	x, isText := a.(string)
	y, isText2 := b.(string)
	if d, err := time.ParseDuration(x); isText && isText2 && err == nil {
		e, err := time.ParseDuration(y)
		return err == nil && d == e
	}
	return fmt.Sprint(normalize(a)) == fmt.Sprint(normalize(b))
}

// coversAll reports whether each written item has all fields of the object's item. It may have defaults in addition.
func coversAll(written, object []any) bool {
	for i := range object {
		has, isMap := written[i].(map[string]any)
		of, isMap2 := object[i].(map[string]any)
		covered := equivalent("", written[i], object[i])
		if isMap && isMap2 {
			covered = len(lacking(has, of)) == 0
		}
		if !covered {
			return false
		}
	}
	return true
}

func byService(v any) string {
	list, _ := v.([]any)
	var words []string
	for _, item := range list {
		data, _ := json.Marshal(normalize(item))
		words = append(words, string(data))
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// normalize returns a normal form, in which equivalent values are equal. It drops empty maps in lists.
func normalize(v any) any {
	switch v := v.(type) {
	case string:
		if q, err := resource.ParseQuantity(v); err == nil && v != "" {
			return q.AsDec().String()
		}
		var inner []any
		if strings.HasPrefix(strings.TrimSpace(v), "[") && utiljson.Unmarshal([]byte(v), &inner) == nil {
			data, _ := json.Marshal(inner)
			return string(data)
		}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = normalize(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for key, value := range v {
			if inner, is := value.(map[string]any); value == nil || is && len(inner) == 0 || value == "" {
				continue
			}
			out[key] = normalize(value)
		}
		return out
	case int64, float64:
		return resourceText(v)
	}
	return v
}

func resourceText(v any) string {
	if q, err := resource.ParseQuantity(fmt.Sprint(v)); err == nil {
		return q.AsDec().String()
	}
	return fmt.Sprint(v)
}

func dotted(path []string) string { return strings.Join(path, ".") }

// ClientObjects converts objects for a client or a writer.
func ClientObjects(all []Object) []client.Object {
	out := make([]client.Object, len(all))
	for i, o := range all {
		out[i] = o.unstructured()
	}
	return out
}

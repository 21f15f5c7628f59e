package objects

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/fields"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// Difference is a field of an existing object that differs from the requested value.
type Difference struct{ field, have, want string }

// Field returns the path of the field.
func (d Difference) Field() string { return d.field }

// Want returns the requested value, or "not set".
func (d Difference) Want() string { return d.want }

func (d Difference) String() string {
	return fmt.Sprintf("%s is %s, asked for %s", d.field, d.have, d.want)
}

// Comparison is a field with its existing and its requested value.
type Comparison struct{ Field, Have, Want string }

// Compare lists the fields whose values differ. "false" equals an unset value.
func Compare(fields ...Comparison) []Difference {
	var out []Difference
	for _, f := range fields {
		if f.Have != f.Want && (f.Have != "false" || f.Want != "") && (f.Have != "" || f.Want != "false") {
			out = append(out, Difference{f.Field, orNotSet(f.Have), orNotSet(f.Want)})
		}
	}
	return out
}

func orNotSet(s string) string { return cmp.Or(s, "not set") }

// Existing returns the finding for an existing object: Broken if a field differs that can no longer be changed.
func Existing(object string, fixed, changeable []Difference) step.Finding {
	if len(fixed) > 0 {
		return step.Broken("exists already and differs in fields that cannot be changed: %s", Describe(fixed)).
			On("%s", object).WithHint("choose another %s, or give the flags it was created with", hint.Flag("name"))
	}
	if len(changeable) > 0 {
		return step.OK("exists; left as it is: %s", Describe(changeable)).On("%s", object)
	}
	return step.OK("exists").On("%s", object)
}

// Describe joins differences into one line.
func Describe(ds []Difference) string {
	parts := make([]string, 0, len(ds))
	for _, d := range ds {
		parts = append(parts, d.String())
	}
	return strings.Join(parts, "; ")
}

// FixedInHostedCluster compares the fields that cannot be changed after creation: those of options whose rows say so,
// and those without an option. The base domain of a cluster whose ingress passes through is left out, because the
// operator sets it. An object in the Go types lacks the newer fields.
func FixedInHostedCluster(have, want client.Object) []Difference {
	return fixedInHostedCluster(options.Fields(), have, want)
}

func fixedInHostedCluster(known []options.Field, have, want client.Object) []Difference {
	defaults := TypedHostedCluster(options.ValidatedDefaults(want.GetName(), want.GetNamespace(), ""), Inputs{})
	defaults.Spec.Platform.Kubevirt.BaseDomainPassthrough = nil // the CRD has no default
	all := comparisons(fixedInCluster(known), have, want, defaults)
	passes := slices.ContainsFunc(all, func(c Comparison) bool { return c.Field == passthrough && c.Want == "true" })
	all = slices.DeleteFunc(all, func(c Comparison) bool { return passes && c.Field == "spec.dns.baseDomain" })
	return Compare(all...)
}

// passthrough is set if the ingress of a cluster passes through that of its management cluster.
const passthrough = "spec.platform.kubevirt.baseDomainPassthrough" //nolint:gosec // a field, and no password

func fixedInCluster(known []options.Field) []string {
	return append(fixedPaths(known, hostedcluster.HostedClusterKind), passthrough, "spec.platform.type",
		"spec.etcd.managementType")
}

// fixedPaths returns the sorted paths in objects of a kind that the fixed options write. Paths inside one of wholes are
// replaced by that.
func fixedPaths(known []options.Field, kind string) []string {
	var out []string
	for _, f := range known {
		path := strings.Join(f.Path(kind), ".")
		for whole := range wholes {
			if strings.HasPrefix(path, whole+".") {
				path = whole
			}
		}
		if f.Effect == option.Fixed && path != "" && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// comparisons compares fields of two objects. If have lacks a field, its value in defaults counts: the CRD's default.
func comparisons(paths []string, have, want, defaults client.Object) []Comparison {
	h, w, u := userFields(have), userFields(want), userFields(defaults)
	var out []Comparison
	for _, path := range paths {
		at := func(m map[string]any) any {
			v, _, _ := unstructured.NestedFieldNoCopy(m, option.Dotted(path)...)
			return v
		}
		is, show := at(h), wholes[path]
		if is == nil {
			is = at(u)
		}
		if show == nil {
			show = plainValue
		}
		out = append(out, Comparison{path, show(is), show(at(w))})
	}
	return out
}

// ChangeableInHostedCluster compares the requested, non-default fields that can be changed.
func ChangeableInHostedCluster(have *hyperv1.HostedCluster, o options.Validated) []Difference {
	in := Inputs{InfraID: have.Spec.InfraID, ReleaseImage: o.ReleaseImage}
	defaults := TypedHostedCluster(options.ValidatedDefaults(o.Name, o.Namespace, o.BaseDomain),
		Inputs{InfraID: in.InfraID})
	return Compare(requested(userFields(have), userFields(TypedHostedCluster(o, in)), userFields(defaults),
		fixedInCluster(options.Fields()))...)
}

// FixedInNodePool compares the fields that cannot be changed after creation.
func FixedInNodePool(have, want *hyperv1.NodePool) []Difference {
	o := options.ValidatedDefaults(want.Spec.ClusterName, want.Namespace, "")
	return Compare(comparisons(fixedInPool(), have, want, TypedNodePool(o, o.NodePools[0], Inputs{}))...)
}

func fixedInPool() []string {
	return append([]string{"spec.clusterName", "spec.platform.type"}, fixedPaths(options.NodePoolFields(), "NodePool")...)
}

// ChangeableInNodePool compares all fields that would be written and can be changed, except the release. That is
// changed by an upgrade.
func ChangeableInNodePool(have, want *hyperv1.NodePool) []Difference {
	fields := []Comparison{{"spec.replicas", replicas(have), replicas(want)}}
	return Compare(append(fields, requested(userFields(have), userFields(want), nil,
		append(fixedInPool(), "spec.release", "spec.replicas", "spec.autoScaling"))...)...)
}

// requested returns the fields of want that differ from defaults, with their values in have. Fields below one of except
// are left out.
func requested(have, want, defaults map[string]any, except []string) []Comparison {
	var out []Comparison
	option.Leaves(want, nil, func(path []string, value any) {
		name := strings.Join(path, ".")
		if _, empty := value.(map[string]any); empty {
			return
		}
		if slices.ContainsFunc(except, func(e string) bool { return name == e || strings.HasPrefix(name, e+".") }) {
			return
		}
		if v, ok, _ := unstructured.NestedFieldNoCopy(defaults, path...); ok && plainValue(v) == plainValue(value) {
			return
		}
		has, _, _ := unstructured.NestedFieldNoCopy(have, path...)
		out = append(out, Comparison{name, plainValue(has), plainValue(value)})
	})
	return out
}

// userFields returns the parts of an object that users set: spec, labels and annotations.
func userFields(obj client.Object) map[string]any {
	m := Content(obj)
	if m == nil {
		return nil
	}
	out := map[string]any{"spec": m["spec"]}
	metadata := map[string]any{}
	for _, key := range []string{"labels", "annotations"} {
		if v, ok, _ := unstructured.NestedMap(m, "metadata", key); ok {
			metadata[key] = v
		}
	}
	out["metadata"] = metadata
	return out
}

// plainValue formats equal values alike: quantities in one unit, lists of strings in one order.
func plainValue(v any) string {
	switch v := v.(type) {
	case string:
		if q, err := resource.ParseQuantity(v); err == nil && v != "" {
			return resource.NewQuantity(q.Value(), resource.BinarySI).String()
		}
	case []any:
		v = slices.Clone(v)
		slices.SortStableFunc(v, func(a, b any) int {
			x, _ := a.(string)
			y, _ := b.(string)
			return strings.Compare(x, y)
		})
		return fields.Text(v)
	}
	return fields.Text(v)
}

func replicas(np *hyperv1.NodePool) string {
	switch {
	case np.Spec.Replicas != nil:
		return fmt.Sprint(*np.Spec.Replicas)
	case np.Spec.AutoScaling != nil:
		return fmt.Sprintf("autoscaled %d to %d", np.Spec.AutoScaling.Min, np.Spec.AutoScaling.Max)
	}
	return ""
}

// wholes are fields that are compared and shown as a whole, although several options write into them.
var wholes = map[string]func(any) string{
	"spec.services":                        shownServices,
	"spec.platform.kubevirt.credentials":   shownCredentials,
	"spec.platform.kubevirt.storageDriver": shownDriver,
}

// decode converts a value of an object into its Go type, or returns the zero value.
func decode[T any](value any) T {
	var out T
	if data, err := json.Marshal(value); err == nil {
		_ = json.Unmarshal(data, &out) // the value was marshaled from this type
	}
	return out
}

// shownServices lists the services with their strategies, in a fixed order.
func shownServices(value any) string {
	var parts []string
	for _, s := range decode[[]hyperv1.ServicePublishingStrategyMapping](value) {
		part := fmt.Sprintf("%s by %s", s.Service, s.Type)
		if name := options.HostnameOf(s); name != "" {
			part += " as " + name
		}
		if s.NodePort != nil {
			part += " at " + s.NodePort.Address
			if s.NodePort.Port != 0 {
				part += fmt.Sprintf(":%d", s.NodePort.Port)
			}
		}
		parts = append(parts, part)
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

func shownCredentials(value any) string {
	c := decode[hyperv1.KubevirtPlatformCredentials](value)
	switch {
	case value == nil:
		return ""
	case c.InfraKubeConfigSecret == nil:
		return "namespace " + c.InfraNamespace
	}
	return "namespace " + c.InfraNamespace + " by Secret " + c.InfraKubeConfigSecret.Name
}

func shownDriver(value any) string {
	d := decode[hyperv1.KubevirtStorageDriverSpec](value)
	shown := []string{string(d.Type)}
	if d.Manual != nil {
		for _, m := range d.Manual.StorageClassMapping {
			shown = append(shown, withGroup(m.InfraStorageClassName+"/"+m.GuestStorageClassName, m.Group))
		}
		for _, m := range d.Manual.VolumeSnapshotClassMapping {
			shown = append(shown, withGroup(m.InfraVolumeSnapshotClassName+"/"+m.GuestVolumeSnapshotClassName, m.Group))
		}
	}
	return strings.Join(shown, " ")
}

func withGroup(s, group string) string {
	if group == "" {
		return s
	}
	return s + ",group=" + group
}

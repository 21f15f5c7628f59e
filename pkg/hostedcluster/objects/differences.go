package objects

import (
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

// Difference is a field of an existing object that is not as asked.
type Difference struct{ field, have, want string }

// Field is the path of the field.
func (d Difference) Field() string { return d.field }

// Want is the value that was asked for, "not set" for none.
func (d Difference) Want() string { return d.want }

func (d Difference) String() string {
	return fmt.Sprintf("%s is %s, asked for %s", d.field, d.have, d.want)
}

// Comparison is a field with both its values.
type Comparison struct{ Field, Have, Want string }

// Compare lists the fields whose values differ. False means the same as nothing.
func Compare(fields ...Comparison) []Difference {
	var out []Difference
	for _, f := range fields {
		if f.Have != f.Want && (f.Have != "false" || f.Want != "") && (f.Have != "" || f.Want != "false") {
			out = append(out, Difference{f.Field, shown(f.Have), shown(f.Want)})
		}
	}
	return out
}

func shown(s string) string {
	if s == "" {
		return "not set"
	}
	return s
}

// Existing is the finding about an existing object: Broken where a field differs that cannot be changed any more.
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

// Describe puts differences into one line.
func Describe(ds []Difference) string {
	parts := make([]string, 0, len(ds))
	for _, d := range ds {
		parts = append(parts, d.String())
	}
	return strings.Join(parts, "; ")
}

// FixedInHostedCluster compares what nobody can change after creation: the fields of options whose rows say so, and
// what no option writes by itself. The base domain of a cluster whose ingress passes through is left out: the operator
// fills it in. An object in the Go types shows no field that these lack.
func FixedInHostedCluster(have, want client.Object) []Difference {
	return fixedInHostedCluster(options.Fields(), have, want)
}

func fixedInHostedCluster(known []options.Field, have, want client.Object) []Difference {
	usual := TypedHostedCluster(options.ValidatedDefaults(want.GetName(), want.GetNamespace(), ""), Inputs{})
	usual.Spec.Platform.Kubevirt.BaseDomainPassthrough = nil // the CRD has no default
	all := comparisons(fixedInCluster(known), have, want, usual)
	passes := slices.ContainsFunc(all, func(c Comparison) bool { return c.Field == passthrough && c.Want == "true" })
	all = slices.DeleteFunc(all, func(c Comparison) bool { return passes && c.Field == "spec.dns.baseDomain" })
	return Compare(all...)
}

// passthrough is whether the ingress of a cluster passes through that of its management cluster.
const passthrough = "spec.platform.kubevirt.baseDomainPassthrough" //nolint:gosec // a field, and no password

func fixedInCluster(known []options.Field) []string {
	return append(fixedPaths(known, hostedcluster.HostedClusterKind), passthrough, "spec.platform.type",
		"spec.etcd.managementType")
}

// fixedPaths are the paths in objects of a kind that the fixed options write, sorted. Where several write into one
// place that is shown as a whole, it is that.
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

// comparisons compares fields of two objects. What have does not say is as usual: these are the defaults of the CRDs.
func comparisons(paths []string, have, want, usual client.Object) []Comparison {
	h, w, u := asMap(have), asMap(want), asMap(usual)
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

// ChangeableInHostedCluster compares what was asked for, other than by default, and could be changed.
func ChangeableInHostedCluster(have *hyperv1.HostedCluster, o options.Validated) []Difference {
	in := Inputs{InfraID: have.Spec.InfraID, ReleaseImage: o.ReleaseImage}
	usual := TypedHostedCluster(options.ValidatedDefaults(o.Name, o.Namespace, o.BaseDomain), Inputs{InfraID: in.InfraID})
	return Compare(asked(asMap(have), asMap(TypedHostedCluster(o, in)), asMap(usual), fixedInCluster(options.Fields()))...)
}

// FixedInNodePool compares what nobody can change after creation.
func FixedInNodePool(have, want *hyperv1.NodePool) []Difference {
	o := options.ValidatedDefaults(want.Spec.ClusterName, want.Namespace, "")
	return Compare(comparisons(fixedInPool(), have, want, TypedNodePool(o, o.NodePools[0], Inputs{}))...)
}

func fixedInPool() []string {
	return append([]string{"spec.clusterName", "spec.platform.type"}, fixedPaths(options.NodePoolFields(), "NodePool")...)
}

// ChangeableInNodePool compares all that would be written and could be changed; of the release, which upgrades, only
// what was asked for.
func ChangeableInNodePool(have, want *hyperv1.NodePool) []Difference {
	fields := []Comparison{{"spec.replicas", replicas(have), replicas(want)}}
	return Compare(append(fields, asked(asMap(have), asMap(want), nil,
		append(fixedInPool(), "spec.release", "spec.replicas", "spec.autoScaling"))...)...)
}

// asked are the fields of want that are not as usual, with what have has; those that begin with one of except are left
// out.
func asked(have, want, usual map[string]any, except []string) []Comparison {
	var out []Comparison
	option.Leaves(want, nil, func(path []string, value any) {
		name := strings.Join(path, ".")
		if _, empty := value.(map[string]any); empty {
			return
		}
		if slices.ContainsFunc(except, func(e string) bool { return name == e || strings.HasPrefix(name, e+".") }) {
			return
		}
		if v, ok, _ := unstructured.NestedFieldNoCopy(usual, path...); ok && plainValue(v) == plainValue(value) {
			return
		}
		has, _, _ := unstructured.NestedFieldNoCopy(have, path...)
		out = append(out, Comparison{name, plainValue(has), plainValue(value)})
	})
	return out
}

// asMap is what people choose of an object: its spec, its labels and annotations.
func asMap(obj client.Object) map[string]any {
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

// plainValue writes values alike that mean the same: quantities in one unit, lists of words in one order.
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

// wholes are the places that are compared and shown as one, though they have fields of several options.
var wholes = map[string]func(any) string{
	"spec.services":                        shownServices,
	"spec.platform.kubevirt.credentials":   shownCredentials,
	"spec.platform.kubevirt.storageDriver": shownDriver,
}

// typed is a value of an object in its Go type; the zero value where there is none.
func typed[T any](value any) T {
	var out T
	if data, err := json.Marshal(value); err == nil {
		_ = json.Unmarshal(data, &out) // it was one of that type
	}
	return out
}

// shownServices is the services and how each is published, in a fixed order.
func shownServices(value any) string {
	var parts []string
	for _, s := range typed[[]hyperv1.ServicePublishingStrategyMapping](value) {
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
	c := typed[hyperv1.KubevirtPlatformCredentials](value)
	switch {
	case value == nil:
		return ""
	case c.InfraKubeConfigSecret == nil:
		return "namespace " + c.InfraNamespace
	}
	return "namespace " + c.InfraNamespace + " by Secret " + c.InfraKubeConfigSecret.Name
}

func shownDriver(value any) string {
	d := typed[hyperv1.KubevirtStorageDriverSpec](value)
	shown := []string{string(d.Type)}
	if d.Manual != nil {
		for _, m := range d.Manual.StorageClassMapping {
			shown = append(shown, grouped(m.InfraStorageClassName+"/"+m.GuestStorageClassName, m.Group))
		}
		for _, m := range d.Manual.VolumeSnapshotClassMapping {
			shown = append(shown, grouped(m.InfraVolumeSnapshotClassName+"/"+m.GuestVolumeSnapshotClassName, m.Group))
		}
	}
	return strings.Join(shown, " ")
}

func grouped(s, group string) string {
	if group == "" {
		return s
	}
	return s + ",group=" + group
}

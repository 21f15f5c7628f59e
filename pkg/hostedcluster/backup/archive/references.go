package archive

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// References lists the Secrets and ConfigMaps in its namespace that a hosted cluster needs, sorted by name. An archive
// has no others.
type References struct {
	Secrets, ConfigMaps []string
	// exact has the references by kind, without the names that may belong to either kind.
	exact map[string][]string
}

// ReferencesOf returns the Secrets and ConfigMaps that the HostedCluster and its NodePools refer to.
func ReferencesOf(hc *hyperv1.HostedCluster, pools []hyperv1.NodePool) (References, error) {
	var r References
	r.Secrets = append(r.Secrets, hc.Spec.PullSecret.Name, hc.Spec.SSHKey.Name)
	if e := hc.Spec.SecretEncryption; e != nil && e.AESCBC != nil {
		r.Secrets = append(r.Secrets, e.AESCBC.ActiveKey.Name)
		if e.AESCBC.BackupKey != nil {
			r.Secrets = append(r.Secrets, e.AESCBC.BackupKey.Name)
		}
	}
	if hc.Spec.AuditWebhook != nil {
		r.Secrets = append(r.Secrets, hc.Spec.AuditWebhook.Name)
	}
	if hc.Spec.ServiceAccountSigningKey != nil {
		r.Secrets = append(r.Secrets, hc.Spec.ServiceAccountSigningKey.Name)
	}
	if k := hc.Spec.Platform.Kubevirt; k != nil && k.Credentials != nil && k.Credentials.InfraKubeConfigSecret != nil {
		r.Secrets = append(r.Secrets, k.Credentials.InfraKubeConfigSecret.Name)
	}
	if hc.Spec.AdditionalTrustBundle != nil {
		r.ConfigMaps = append(r.ConfigMaps, hc.Spec.AdditionalTrustBundle.Name)
	}
	for i := range pools {
		for _, c := range slices.Concat(pools[i].Spec.Config, pools[i].Spec.TuningConfig) {
			r.ConfigMaps = append(r.ConfigMaps, c.Name)
		}
	}
	r.exact = map[string][]string{
		"Secret": append(slices.Clone(r.Secrets), namesOf[configv1.SecretNameReference](hc.Spec.Configuration)...),
		"ConfigMap": append(slices.Clone(r.ConfigMaps),
			namesOf[configv1.ConfigMapNameReference](hc.Spec.Configuration)...)}
	if hc.Spec.Configuration != nil {
		// The configuration refers to Secrets and ConfigMaps in many places (certificates, identity providers, authorities),
		// always as an object with a name.
		m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(hc.Spec.Configuration)
		if err != nil {
			return r, err
		}
		names := namesIn(m)
		r.Secrets, r.ConfigMaps = append(r.Secrets, names...), append(r.ConfigMaps, names...)
	}
	r.Secrets, r.ConfigMaps = sortedUnique(r.Secrets), sortedUnique(r.ConfigMaps)
	return r, nil
}

// namesOf returns the names in all references of type T, found by reflection.
func namesOf[T any](value any) []string {
	var names []string
	var walk func(reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			if v.Type() == reflect.TypeFor[T]() {
				names = append(names, v.FieldByName("Name").String())
				return
			}
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					walk(v.Field(i))
				}
			}
		default:
		}
	}
	walk(reflect.ValueOf(value))
	return names
}

// namesIn returns the values of all string fields called "name".
func namesIn(value any) []string {
	var names []string
	switch v := value.(type) {
	case map[string]any:
		if name, ok := v["name"].(string); ok {
			names = append(names, name)
		}
		for _, inner := range v {
			names = append(names, namesIn(inner)...)
		}
	case []any:
		for _, inner := range v {
			names = append(names, namesIn(inner)...)
		}
	}
	return names
}

// sortedUnique sorts names and removes empty and duplicate ones.
func sortedUnique(names []string) []string {
	names = slices.DeleteFunc(names, func(s string) bool { return s == "" })
	slices.Sort(names)
	return slices.Compact(names)
}

// Name is a reference of an object of an archive to a Secret or ConfigMap in the cluster's namespace.
type Name struct {
	// Kind is Secret or ConfigMap; empty if the field does not tell which.
	Kind string
	Name string
	// By is the referring object, such as "HostedCluster kv-00".
	By string
}

func (n Name) String() string {
	if n.Kind == "" {
		return fmt.Sprintf("%q", n.Name)
	}
	return fmt.Sprintf("%s %q", n.Kind, n.Name)
}

// Names returns all Secrets and ConfigMaps that the archive's HostedCluster and NodePools refer to, including those in
// fields that this version of hcctl does not know.
func (c *Content) Names() ([]Name, error) {
	refs, err := c.references()
	if err != nil {
		return nil, err
	}
	var all []Name
	for _, kind := range []string{"Secret", "ConfigMap"} {
		for _, name := range sortedUnique(refs.exact[kind]) {
			all = append(all, Name{kind, name, "HostedCluster " + c.Manifest.Name + " or a NodePool of it"})
		}
	}
	for _, o := range c.Objects {
		if o.GetKind() != "HostedCluster" && o.GetKind() != "NodePool" {
			continue
		}
		for _, name := range sortedUnique(referencesIn("", o.Object["spec"])) {
			if !slices.Contains(refs.exact["Secret"], name) && !slices.Contains(refs.exact["ConfigMap"], name) {
				all = append(all, Name{Name: name, By: o.GetKind() + " " + o.GetName()})
			}
		}
	}
	return all, nil
}

// Missing returns the Secrets and ConfigMaps that are not in the archive, each with the object that refers to it. A
// restore accepts only existing ones of the same cluster instead.
func (c *Content) Missing() ([]string, error) {
	names, err := c.Names()
	if err != nil {
		return nil, err
	}
	missing := []string{}
	for _, n := range names {
		inside := slices.ContainsFunc(c.Objects, func(o *unstructured.Unstructured) bool {
			return o.GetNamespace() == c.Manifest.Namespace && o.GetName() == n.Name &&
				(o.GetKind() == n.Kind || n.Kind == "" && (o.GetKind() == "Secret" || o.GetKind() == "ConfigMap"))
		})
		if !inside {
			missing = append(missing, fmt.Sprintf("%s, which %s names", n, n.By))
		}
	}
	return missing, nil
}

// referencesIn returns the names of Secrets and ConfigMaps in a value: {name: NAME}, alone or with a key, and strings
// in fields whose names end in secret, secretName or secretRef. Additional networks of VMs have the same form and are
// skipped.
func referencesIn(field string, value any) []string {
	var names []string
	switch v := value.(type) {
	case string:
		called := strings.ToLower(field)
		if strings.HasSuffix(called, "secret") || strings.HasSuffix(called, "secretname") ||
			strings.HasSuffix(called, "secretref") {
			names = append(names, v)
		}
	case map[string]any:
		_, key := v["key"]
		if name, ok := v["name"].(string); ok && field != "additionalNetworks" && (len(v) == 1 || len(v) == 2 && key) {
			names = append(names, name)
		}
		for inner, of := range v {
			names = append(names, referencesIn(inner, of)...)
		}
	case []any:
		for _, inner := range v {
			names = append(names, referencesIn(field, inner)...)
		}
	}
	return names
}

package convert

import (
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/schema"
)

// validate validates an object against the API of its release: the spec against the CRD, the rest against the Go type.
func (r *reader) validate(o Object, into any) {
	kind, before := o.unstructured().GetKind(), len(r.out.Findings)
	if version := hyperv1.GroupVersion.String(); o.unstructured().GetAPIVersion() != version {
		r.out.Findings = append(r.out.Findings, o.finding("apiVersion", "%q: no HyperShift serves it; %s is right",
			o.unstructured().GetAPIVersion(), version))
	}
	for _, p := range schema.Of(kind, r.out.Release.Minor).Problems(withWebhookDefaults(o)) {
		f := o.finding(strings.TrimSuffix("spec."+p.Path, "."), "%s", p.Detail)
		f.bySchema = true
		if p.Unknown {
			f.Message, f.Next = r.out.Release.Lacks(kind, f.Field, p.Detail)
			f.Note = isEmpty(p.Value) // an empty value has no effect
		}
		r.out.Findings = append(r.out.Findings, f)
	}
	for _, path := range o.Unknown(into) {
		if !strings.HasPrefix(path, "spec.") {
			r.out.Findings = append(r.out.Findings, o.finding(path, "is not a field of a %s", kind))
		}
	}
	if len(r.out.Findings) > before {
		return
	}
	if err := o.Loose(into); err != nil {
		r.out.Findings = append(r.out.Findings, o.finding("", "%v", err))
	}
}

// withWebhookDefaults returns the spec of an object as the CRD validates it: after HyperShift's webhook, which fills in
// defaults of a cluster on KubeVirt (hostedcluster_webhook.go, Default, 4.14 to 5.1).
func withWebhookDefaults(o Object) any {
	given, is := o.Fields["spec"].(map[string]any)
	if _, has := o.Fields["spec"]; has && !is {
		return o.Fields["spec"]
	}
	spec := runtime.DeepCopyJSON(given)
	if spec == nil {
		spec = map[string]any{}
	}
	setDefault := func(value any, path ...string) {
		have, _, err := unstructured.NestedFieldNoCopy(spec, path...)
		if err == nil && (have == nil || have == "") {
			_ = unstructured.SetNestedField(spec, value, path...) // the CRD reports a wrong type on the path
		}
	}
	setDefault("the:newest", "release", "image")
	kubevirt := textAt(o.Fields, "spec", "platform", "type") == string(hyperv1.KubevirtPlatform)
	if kubevirt {
		setDefault(map[string]any{}, "platform", "kubevirt")
	}
	if o.unstructured().GetKind() != hostedcluster.HostedClusterKind {
		if kubevirt {
			setDefault(string(hyperv1.UpgradeTypeReplace), "management", "upgradeType")
		}
		return spec
	}
	setDefault(map[string]any{}, "sshKey")
	if services, listed := spec["services"].([]any); kubevirt && (listed || spec["services"] == nil) {
		spec["services"] = allServices(services)
	}
	return spec
}

// allServices returns services with those that the webhook adds.
func allServices(services []any) []any {
	for _, usual := range options.ValidatedDefaults("any", options.Defaults().Namespace, "").Services("") {
		if !slices.ContainsFunc(services, func(s any) bool {
			m, _ := s.(map[string]any)
			return m["service"] == string(usual.Service)
		}) {
			services = append(services, map[string]any{"service": string(usual.Service),
				"servicePublishingStrategy": map[string]any{"type": string(usual.Type)}})
		}
	}
	return services
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return v == nil || v == ""
}

// Lacks returns which releases have a field that this one lacks, and what to do. detail is the schema's message.
func (r Release) Lacks(kind, path, detail string) (message string, next hint.Text) {
	first, last, ever := schema.Has(kind, path)
	own := "HyperShift " + schema.Name(r.Minor)
	switch {
	case !ever:
		_, meant, _ := strings.Cut(detail, "; ")
		message = "no HyperShift up to " + schema.Name(schema.Newest()) + " has such a field"
		if meant != "" {
			message += "; " + meant
		}
		return message, hint.New("leave it out: an API server refuses it, or drops it without a word")
	case last < r.Minor:
		return own + " has no such field any more; " + schema.Name(last) + " was the last that had it",
			hint.New("leave it out")
	}
	if first < r.Minor {
		return own + " has no such field, though older and newer ones have", hint.New("leave it out")
	}
	name := schema.Name(first)
	minor, _, _ := strings.Cut(name, " ")
	return own + " has no such field; " + name + " is the first that has it",
		hint.New("leave it out, or take a release of %s or later; if the HyperShift operator is newer than the release, say "+
			"so: %s %s", name, hint.Flag("release"), minor)
}

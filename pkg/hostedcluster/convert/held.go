package convert

import (
	"strings"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster/schema"
)

// held holds an object to the API of its release: its spec to the CRD, the rest to the type of Go.
func (r *reader) held(o Object, into any) {
	kind, before := o.unstructured().GetKind(), len(r.out.Findings)
	spec, has := o.Fields["spec"]
	if !has {
		spec = map[string]any{}
	}
	for _, p := range schema.Of(kind, r.out.Release.Minor).Problems(spec) {
		f := o.finding(strings.TrimSuffix("spec."+p.Path, "."), "%s", p.Detail)
		f.bySchema = true
		if p.Unknown {
			f.Message, f.Next = r.out.Release.Lacks(kind, f.Field, p.Detail)
			f.Note = empty(p.Value) // dropped or not, it says nothing
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

func empty(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return v == nil || v == ""
}

// Lacks says which releases have a field that this one lacks, and what to do. Detail is what the schema says of it.
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

package options

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/document"
)

// mirrorSource is one source of a list, with its line in the file.
type mirrorSource struct {
	hyperv1.ImageContentSource
	line int
	// fromList reports that the entry comes from the user's own list, which is written unchanged.
	fromList bool
}

// ParseImageContentSources reads sources and their mirrors: a YAML list, or any number of the objects that clusters and
// oc-mirror write. A source that several objects have gets the mirrors of all.
func ParseImageContentSources(content []byte) ([]hyperv1.ImageContentSource, error) {
	docs, err := document.Read(content)
	if err != nil {
		return nil, err
	}
	var out []hyperv1.ImageContentSource
	for _, doc := range docs {
		given, err := mirrorsIn(doc)
		if err != nil {
			return nil, err
		}
		for _, m := range given {
			switch {
			case m.Source == "":
				return nil, fmt.Errorf("line %d: this entry has no source", m.line)
			case len(m.Mirrors) == 0:
				return nil, fmt.Errorf("line %d: source %s has no mirrors", m.line, m.Source)
			}
			out = withMirrors(out, m)
		}
	}
	switch {
	case len(out) == 0:
		return nil, errors.New("the list is empty")
	case len(out) > maxSources:
		return nil, fmt.Errorf("has %d sources, at most %d are allowed", len(out), maxSources)
	}
	return out, nil
}

// withMirrors adds the mirrors of a source, without duplicates.
func withMirrors(all []hyperv1.ImageContentSource, more mirrorSource) []hyperv1.ImageContentSource {
	i := slices.IndexFunc(all, func(s hyperv1.ImageContentSource) bool { return s.Source == more.Source })
	if i < 0 || more.fromList {
		return append(all, more.ImageContentSource)
	}
	for _, mirror := range more.Mirrors {
		if !slices.Contains(all[i].Mirrors, mirror) {
			all[i].Mirrors = append(all[i].Mirrors, mirror)
		}
	}
	return all
}

// mirrorsIn returns the mirrors of one document: a list, or objects.
func mirrorsIn(doc document.Document) ([]mirrorSource, error) {
	if doc.Root.Kind == yaml.SequenceNode {
		var list []hyperv1.ImageContentSource
		if err := doc.Decode(&list); err != nil {
			return nil, fmt.Errorf("not a YAML list of source and mirrors: %w", err)
		}
		out := make([]mirrorSource, len(list))
		for i, source := range list {
			out[i] = mirrorSource{source, doc.LineOf(fmt.Sprintf("[%d]", i)), true}
		}
		return out, nil
	}
	objects, err := doc.Objects()
	if err != nil {
		return nil, fmt.Errorf("neither a YAML list of source and mirrors nor an object with them: %w", err)
	}
	var out []mirrorSource
	for _, o := range objects {
		found, err := mirrorsOf(o)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// mirrorSet is an ImageDigestMirrorSet, ImageTagMirrorSet or ImageContentSourcePolicy. The list in its spec has another
// name in each.
type mirrorSet struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              map[string][]struct {
		Source             string   `json:"source"`
		Mirrors            []string `json:"mirrors"`
		MirrorSourcePolicy string   `json:"mirrorSourcePolicy"`
	} `json:"spec"`
	Status map[string]any `json:"status"`
}

// mirrorLists maps apiVersion and kind to the name of the list in the spec.
func mirrorLists() map[string]string {
	return map[string]string{
		"config.openshift.io/v1 ImageDigestMirrorSet":             "imageDigestMirrors",
		"config.openshift.io/v1 ImageTagMirrorSet":                "imageTagMirrors",
		"operator.openshift.io/v1alpha1 ImageContentSourcePolicy": "repositoryDigestMirrors",
	}
}

func mirrorsOf(o document.Object) ([]mirrorSource, error) {
	var set mirrorSet
	list, known := mirrorLists()[fmt.Sprint(o.Fields["apiVersion"], " ", o.Fields["kind"])]
	if !known {
		return nil, fmt.Errorf("line %d: %v of %v has no mirrors; there are ImageDigestMirrorSet and ImageTagMirrorSet of "+
			"config.openshift.io/v1, and ImageContentSourcePolicy of operator.openshift.io/v1alpha1", o.Line,
			o.Fields["kind"], o.Fields["apiVersion"])
	}
	if err := o.Decode(&set); err != nil {
		return nil, err
	}
	var out []mirrorSource
	for name, entries := range set.Spec {
		if name != list {
			return nil, fmt.Errorf("line %d: unknown field %q", o.LineOf("spec."+name), "spec."+name)
		}
		for i, e := range entries {
			at := fmt.Sprintf("spec.%s[%d]", list, i)
			if e.MirrorSourcePolicy == "NeverContactSource" {
				return nil, fmt.Errorf("line %d: mirrorSourcePolicy NeverContactSource of %s cannot be said of a hosted cluster, "+
					"which asks the source where no mirror answers; take it out", o.LineOf(at+".mirrorSourcePolicy"), e.Source)
			}
			out = append(out, mirrorSource{hyperv1.ImageContentSource{Source: strings.TrimSpace(e.Source), Mirrors: e.Mirrors},
				o.LineOf(at), false})
		}
	}
	return out, nil
}

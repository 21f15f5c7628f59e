package update

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/management"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	// propertiesAnnotation is the annotation in which OLM keeps the bundle properties of a ClusterServiceVersion.
	propertiesAnnotation = "operatorframework.io/properties"
	// maxVersionProperty is the newest minor version of OpenShift that a bundle supports. OLM blocks an update beyond it.
	maxVersionProperty = "olm.maxOpenShiftVersion"
)

// judgeBundles reports operators whose bundles do not support the new minor version, whoever installed them. OLM
// reports the same in ClusterOperator operator-lifecycle-manager, but only for the next minor version.
func (w *snapshot) judgeBundles(r route) []step.Finding {
	const all = "ClusterServiceVersions"
	switch {
	case kube.IsKindMissing(w.bundles.Err):
		return []step.Finding{step.OK("the cluster has no Operator Lifecycle Manager").On("%s", all)}
	case w.bundles.Err != nil:
		return []step.Finding{management.Unread(all, w.bundles.Err)}
	case r.known && r.minors() == 0:
		return []step.Finding{step.OK("a patch asks none of them").On("%s", all)}
	}
	to := r.from.AddMinors(1)
	if r.known {
		to = r.to
	}
	var out []step.Finding
	for i := range w.bundles.Items {
		b := &w.bundles.Items[i]
		object := "ClusterServiceVersion " + b.name()
		maximum, err := maxOpenShift(b.Metadata.Annotations[propertiesAnnotation])
		switch {
		case err != nil:
			out = append(out, step.Failing("%v, which holds up another minor version", err).On("%s", object).
				WithHint("update or remove the operator"))
		case maximum != nil && maximum.MinorNumber() < to.MinorNumber():
			out = append(out, step.Failing("it is for OpenShift up to %s (%s)", maximum.MinorName(),
				maxVersionProperty).On("%s", object).
				WithHint("update the operator to a version that is for OpenShift %s, or remove it", to.MinorName()))
		}
	}
	if len(out) == 0 {
		return []step.Finding{step.OK("none of %d says that it is not for OpenShift %s", len(w.bundles.Items),
			to.MinorName()).On("%s", all)}
	}
	return out
}

var minorForm = lazyregexp.New(`^([0-9]{1,3})\.([0-9]{1,4})(?:\.0)?$`)

// maxOpenShift returns the newest supported OpenShift in the annotation, or nil. As in OLM (operator-lifecycle-manager,
// operators/openshift), a value may be quoted twice, and two values are an error.
func maxOpenShift(annotation string) (*hostedcluster.Version, error) {
	if annotation == "" {
		return nil, nil
	}
	var list struct {
		Properties []struct {
			Type  string          `json:"type"`
			Value json.RawMessage `json:"value"`
		} `json:"properties"`
	}
	if err := json.Unmarshal([]byte(annotation), &list); err != nil {
		return nil, fmt.Errorf("the annotation %s cannot be read", propertiesAnnotation)
	}
	var found *hostedcluster.Version
	for _, p := range list.Properties {
		if p.Type != maxVersionProperty {
			continue
		}
		if found != nil {
			return nil, errors.New("it has more than one " + maxVersionProperty)
		}
		text := string(p.Value)
		if unquoted, err := strconv.Unquote(text); err == nil {
			text = unquoted
		}
		m := minorForm.FindStringSubmatch(text)
		if m == nil {
			return nil, fmt.Errorf("its %s cannot be read: %q", maxVersionProperty, text)
		}
		major, _ := strconv.Atoi(m[1])
		minor, _ := strconv.Atoi(m[2])
		found = &hostedcluster.Version{Major: major, Minor: minor}
	}
	return found, nil
}

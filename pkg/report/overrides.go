package report

import (
	"fmt"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/step"
)

// Override is a value of another field manager that a run would replace. It contains no secrets.
type Override struct {
	Step       step.ID `json:"step"`
	APIVersion string  `json:"apiVersion"`
	Kind       string  `json:"kind"`
	Namespace  string  `json:"namespace,omitempty"`
	Name       string  `json:"name"`
	// Field is the path of the value, such as "spec.routeAdmission.wildcardPolicy".
	Field string `json:"field"`
	// Before and After are the values as JSON. After is empty if the value is removed.
	Before string `json:"before"`
	After  string `json:"after,omitempty"`
	// Manager is the field manager that set the value, and At the time of its last change of the object (RFC 3339). Both
	// are empty if the managed fields do not have them.
	Manager string `json:"manager,omitempty"`
	At      string `json:"at,omitempty"`
	// Owner is the tool that manages the object, such as "Helm (release metallb-system/metallb)".
	Owner string `json:"owner,omitempty"`
}

// Lines returns the override for the user: the object, and below it the change.
func (o Override) Lines() []string {
	object := o.Kind + " " + o.Name
	if o.Namespace != "" {
		object = o.Kind + " " + o.Namespace + "/" + o.Name
	}
	if o.Owner != "" {
		object += ", looked after by " + o.Owner
	}
	after, by := o.After, "it is not known who set it"
	if after == "" {
		after = "unset"
	}
	if o.Manager != "" {
		by = "set by " + o.Manager
		if o.At != "" {
			by += " on " + o.At
		}
	}
	return []string{
		sanitize.Value(fmt.Sprintf("%s (%s)", object, o.Step)),
		"  " + sanitize.Value(fmt.Sprintf("%s: %s → %s; %s", o.Field, o.Before, after, by)),
	}
}

// OverrideLines returns the overrides for the user, with a heading.
func OverrideLines(all []Override) []string {
	if len(all) == 0 {
		return []string{"No value that somebody else has set would be replaced."}
	}
	lines := []string{fmt.Sprintf("%s that somebody else has set would be replaced:",
		plural.Count(len(all), "value"))}
	for _, o := range all {
		for _, line := range o.Lines() {
			lines = append(lines, "  "+line)
		}
	}
	return lines
}

package hub

import (
	"slices"

	workv1 "open-cluster-management.io/api/work/v1"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/fleet"
)

// Limits of what is read from one site's report.
const (
	maxPools   = 200
	maxNodes   = 100_000
	maxMessage = 1024
)

// value is one value that a site reports: its name in the feedback, its path in the object, and its form.
type value struct {
	name, path string
	form       *lazyregexp.Regexp
}

// Forms of reported values. The form of a reason is the one that the API prescribes.
var (
	formStatus  = lazyregexp.New(`^(True|False|Unknown)$`)
	formReason  = lazyregexp.New(`^[A-Za-z]([A-Za-z0-9_,:]{0,126}[A-Za-z0-9_])?$`)
	formVersion = lazyregexp.New(`^[0-9]{1,4}(\.[0-9]{1,6}){1,2}([-+][0-9A-Za-z.+-]{1,64})?$`)
	formState   = lazyregexp.New(`^(Completed|Partial)$`)
	formHost    = lazyregexp.New(`^[0-9A-Za-z.:-]{1,253}$`)
	formImage   = lazyregexp.New(`^[0-9A-Za-z._/:@-]{1,512}$`)
)

// condition returns the path of a field of a condition.
func condition(kind, field string) string {
	return `.status.conditions[?(@.type=="` + kind + `")].` + field
}

// clusterValues returns the reported values of a HostedCluster. availableMessage may have any text.
func clusterValues() []value {
	return []value{
		{"available", condition("Available", "status"), formStatus},
		{"availableReason", condition("Available", "reason"), formReason},
		{"availableMessage", condition("Available", "message"), nil},
		{"degraded", condition("Degraded", "status"), formStatus},
		{"degradedReason", condition("Degraded", "reason"), formReason},
		{"valid", condition("ValidConfiguration", "status"), formStatus},
		{"validReason", condition("ValidConfiguration", "reason"), formReason},
		{"version", ".status.version.history[0].version", formVersion},
		{"versionState", ".status.version.history[0].state", formState},
		{"versionImage", ".status.version.history[0].image", formImage},
		{"endpoint", ".status.controlPlaneEndpoint.host", formHost},
	}
}

func poolValues() []value {
	return []value{
		{"nodes", ".status.replicas", nil},
		{"version", ".status.version", formVersion},
		{"updating", condition("UpdatingVersion", "status"), formStatus},
		{"ready", condition("Ready", "status"), formStatus},
		{"readyReason", condition("Ready", "reason"), formReason},
	}
}

// rules returns the feedback rules for values.
func rules(values []value) []workv1.FeedbackRule {
	rule := workv1.FeedbackRule{Type: workv1.JSONPathsType}
	for _, v := range values {
		rule.JsonPaths = append(rule.JsonPaths, workv1.JsonPath{Name: v.name, Path: v.path})
	}
	return []workv1.FeedbackRule{rule}
}

// Feedback is what the site reports about a hosted cluster. A value that is missing, or that does not have its
// form, is empty.
type Feedback struct {
	values map[string]string
	// Pools are the reports about NodePools, by name.
	Pools map[string]PoolFeedback
}

// PoolFeedback is what the site reports about a NodePool.
type PoolFeedback struct {
	// Nodes is the number of nodes; nil if it is not known.
	Nodes  *int64
	values map[string]string
}

// Available returns the status, the reason and the message of the HostedCluster's condition Available.
func (f *Feedback) Available() (status, reason, message string) {
	return f.values["available"], f.values["availableReason"], f.values["availableMessage"]
}

// Degraded returns the reason of the condition Degraded if it is True, else "".
func (f *Feedback) Degraded() string { return f.reason("degraded", "True") }

// Invalid returns the reason of the condition ValidConfiguration if it is False, else "".
func (f *Feedback) Invalid() string { return f.reason("valid", "False") }

func (f *Feedback) reason(name, status string) string {
	if f.values[name] != status {
		return ""
	}
	if reason := f.values[name+"Reason"]; reason != "" {
		return reason
	}
	return name
}

// Version returns the newest version in the control plane's history, and whether its roll-out is complete.
func (f *Feedback) Version() (version string, complete bool) {
	return f.values["version"], f.values["versionState"] == "Completed"
}

// Image returns the release image of that version.
func (f *Feedback) Image() string { return f.values["versionImage"] }

// Endpoint returns the host of the API server.
func (f *Feedback) Endpoint() string { return f.values["endpoint"] }

// Version returns the version of the nodes, and whether they are being replaced.
func (p PoolFeedback) Version() (version string, updating bool) {
	return p.values["version"], p.values["updating"] == "True"
}

// ReadFeedback reads what a site reports about its hosted cluster. It ignores reports about other objects, and
// values that are not in the allow-list.
func ReadFeedback(c fleet.ClusterName, reported []workv1.ManifestCondition) Feedback {
	f := Feedback{values: map[string]string{}, Pools: map[string]PoolFeedback{}}
	for i := range reported {
		of, values := reported[i].ResourceMeta, reported[i].StatusFeedbacks.Values
		if of.Group != hypershiftGroup || of.Namespace != c.Namespace {
			continue
		}
		switch {
		case of.Kind == "HostedCluster" && of.Name == c.Name:
			f.values = allowed(clusterValues(), values)
		case of.Kind == "NodePool" && len(f.Pools) < maxPools:
			pool := PoolFeedback{values: allowed(poolValues(), values)}
			for _, v := range values {
				if n := v.Value.Integer; v.Name == "nodes" && v.Value.Type == workv1.Integer && n != nil && *n >= 0 &&
					*n <= maxNodes {
					pool.Nodes = n
				}
			}
			f.Pools[of.Name] = pool
		}
	}
	return f
}

// allowed returns the reported texts that have a known name and its form.
func allowed(known []value, reported []workv1.FeedbackValue) map[string]string {
	out := map[string]string{}
	for _, v := range reported {
		i := slices.IndexFunc(known, func(k value) bool { return k.name == v.Name })
		if i < 0 || v.Value.Type != workv1.String || v.Value.String == nil {
			continue
		}
		text := *v.Value.String
		switch form := known[i].form; {
		case form != nil && form.MatchString(text):
			out[v.Name] = text
		case form == nil:
			out[v.Name] = sanitize.Value(redact.Message(text[:min(len(text), maxMessage)]))
		}
	}
	return out
}

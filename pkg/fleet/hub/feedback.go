package hub

import (
	"slices"

	workv1 "open-cluster-management.io/api/work/v1"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/fleet"
)

// most bounds what is read of one site's report.
const (
	maxPools   = 200
	maxNodes   = 100_000
	maxMessage = 1024
)

// value is one value that a site reports: its name in the feedback, where it is in the object, and its form.
type value struct {
	name, path string
	form       *lazyregexp.Regexp
}

// The forms of reported values. A reason has the form that the API prescribes for it.
var (
	formStatus  = lazyregexp.New(`^(True|False|Unknown)$`)
	formReason  = lazyregexp.New(`^[A-Za-z]([A-Za-z0-9_,:]{0,126}[A-Za-z0-9_])?$`)
	formVersion = lazyregexp.New(`^[0-9]{1,4}(\.[0-9]{1,6}){1,2}([-+][0-9A-Za-z.+-]{1,64})?$`)
	formState   = lazyregexp.New(`^(Completed|Partial)$`)
	formHost    = lazyregexp.New(`^[0-9A-Za-z.:-]{1,253}$`)
	formImage   = lazyregexp.New(`^[0-9A-Za-z._/:@-]{1,512}$`)
)

// condition is the path of a field of a condition.
func condition(kind, field string) string {
	return `.status.conditions[?(@.type=="` + kind + `")].` + field
}

// clusterValues are those of a HostedCluster. availableMessage has any text, nodes of a NodePool is a number.
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

// rules are the feedback rules for values.
func rules(values []value) []workv1.FeedbackRule {
	rule := workv1.FeedbackRule{Type: workv1.JSONPathsType}
	for _, v := range values {
		rule.JsonPaths = append(rule.JsonPaths, workv1.JsonPath{Name: v.name, Path: v.path})
	}
	return []workv1.FeedbackRule{rule}
}

// Feedback is what the site reports of a hosted cluster. A value that is not there, or has not its form, is empty.
type Feedback struct {
	values map[string]string
	// Pools by their name.
	Pools map[string]PoolFeedback
}

// PoolFeedback is what the site reports of a NodePool.
type PoolFeedback struct {
	// Nodes is how many nodes it has, nil if that is not known.
	Nodes  *int64
	values map[string]string
}

// Available is the status of the HostedCluster's condition, with its reason and its message.
func (f *Feedback) Available() (status, reason, message string) {
	return f.values["available"], f.values["availableReason"], f.values["availableMessage"]
}

// Degraded is the reason of the condition if it is True, else empty.
func (f *Feedback) Degraded() string { return f.reason("degraded", "True") }

// Invalid is the reason of the condition ValidConfiguration if it is False, else empty.
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

// Version is the newest in the history of the control plane, and whether its roll-out is complete.
func (f *Feedback) Version() (version string, complete bool) {
	return f.values["version"], f.values["versionState"] == "Completed"
}

// Image is the release image of that version.
func (f *Feedback) Image() string { return f.values["versionImage"] }

// Endpoint is the host of the API server.
func (f *Feedback) Endpoint() string { return f.values["endpoint"] }

// Version is that of the nodes, and whether they are being replaced.
func (p PoolFeedback) Version() (version string, updating bool) {
	return p.values["version"], p.values["updating"] == "True"
}

// ReadFeedback reads what a site reports of its hosted cluster. What it says about any other object, and whatever is
// not in the allow-list, is left out.
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

// allowed are the reported texts that have a known name and its form.
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

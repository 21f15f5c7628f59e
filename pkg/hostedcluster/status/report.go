package status

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// Health is a step.State in the words of status and describe.
type Health step.State

// The healths. The zero value is Unknown.
const (
	OK          = Health(step.StateOK)
	Warning     = Health(step.StateWarning)
	Unknown     = Health(step.StateUnknown)
	Progressing = Health(step.StatePending)
	Failing     = Health(step.StateFailing)
	Broken      = Health(step.StateBroken)
)

// Healths are all healths, from the best to the gravest.
func Healths() []Health { return []Health{OK, Warning, Unknown, Progressing, Failing, Broken} }

// String returns the word.
func (h Health) String() string {
	if h == Progressing {
		return "progressing"
	}
	return step.State(h).String()
}

// MarshalText makes JSON carry the word.
func (h Health) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// Compare is negative if h is better than g, and positive if it is graver.
func (h Health) Compare(g Health) int { return step.State(h).Compare(step.State(g)) }

// Worse is the graver of the two.
func Worse(a, b Health) Health { return Health(step.Worse(step.State(a), step.State(b))) }

// Part is one thing that was looked at, with the parts of it that are not as they should be.
type Part struct {
	// Kind is that of the API, in the plural for a part that counts several.
	Kind string `json:"kind"`
	// Name is without a namespace; empty for several.
	Name   string `json:"name,omitempty"`
	Health Health `json:"health"`
	// Message is what is observed, in the words of who reports it; or why it could not be looked at.
	Message string `json:"message,omitempty"`
	// Hint is what to do about it.
	Hint hint.Text `json:"hint,omitzero"`
	// Ready of Total are as they should be; nil where nothing is counted.
	Ready *int `json:"ready,omitempty"`
	Total *int `json:"total,omitempty"`
	// NotJudged is whether hcctl does not look at what the part is about. Health is then OK, so that it does not count.
	NotJudged bool `json:"notJudged,omitempty"`
	// Version is that of a NodePool.
	Version string `json:"version,omitempty"`
	// Ends is when it ends, of a part about that.
	Ends *time.Time `json:"ends,omitempty"`
	// Parts are those that are not OK, the causes first; of NodePools and of what ends all.
	Parts []Part `json:"parts,omitempty"`
	// Reason and Since are those of a condition: one word by its operator, and its last transition.
	Reason string    `json:"-"`
	Since  time.Time `json:"-"`
}

// add takes in a part, and its health if that is worse.
func (p *Part) add(sub Part) {
	p.Parts = append(p.Parts, sub)
	p.Health = Worse(p.Health, sub.Health)
}

// worstFirst orders the parts by health, for what has no order of cause and effect.
func (p *Part) worstFirst() {
	slices.SortStableFunc(p.Parts, func(a, b Part) int { return b.Health.Compare(a.Health) })
}

// count says how many of how many are ready.
func (p *Part) count(ready, total int) { p.Ready, p.Total = &ready, &total }

// objectPart is the part about an object that was judged.
func objectPart(kind, name string, h Health, v health.Verdict) Part {
	return Part{Kind: kind, Name: name, Health: h, Message: v.Message, Hint: v.Hint, Reason: v.Reason, Since: v.Since}
}

// unread is a part that could not be looked at.
func unread(kind, why string) Part { return Part{Kind: kind, Health: Unknown, Message: why} }

// Report is what is known of one hosted cluster.
type Report struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Health is the gravest of the parts'.
	Health Health `json:"health"`
	Phase  Phase  `json:"phase"`
	// Message is that of the gravest part, causes first. If all is well it is empty, or says in what state on purpose the
	// cluster is.
	Message string `json:"message,omitempty"`
	// Version is the last one that was rolled out completely; Desired the one being rolled out, where that is another.
	Version string `json:"version,omitempty"`
	Desired string `json:"desiredVersion,omitempty"`
	// ControlPlaneVersion is the one that all components of the control plane had last, while a roll-out goes on
	// (HyperShift 4.22 and later).
	ControlPlaneVersion string `json:"controlPlaneVersion,omitempty"`
	// EncryptionKey is the Secret with the key that etcd's data is encrypted with. While it is encrypted anew, that is the
	// key before (HyperShift 4.22 and later).
	EncryptionKey string `json:"encryptionKey,omitempty"`
	// API is where the API server listens, as host:port.
	API string `json:"api,omitempty"`
	// Through says how the API server was reached, and why, if not at that address.
	Through string `json:"apiThrough,omitempty"`

	HostedCluster Part `json:"hostedCluster"`
	ControlPlane  Part `json:"controlPlane,omitzero"`
	NodePools     Part `json:"nodePools"`
	Machines      Part `json:"virtualMachines,omitzero"`
	Nodes         Part `json:"nodes,omitzero"`
	Operators     Part `json:"clusterOperators,omitzero"`
	// Services are those outside of the hosted cluster; the zero Part where there are none.
	Services Part `json:"services,omitzero"`
	// ManagedCluster is how the hub sees it; the zero Part where it has none.
	ManagedCluster Part `json:"managedCluster,omitzero"`
	// Expiry is when certificates and tokens end; the zero Part where that was not asked for. Expires is the first of it.
	Expiry  Part   `json:"expiry,omitzero"`
	Expires string `json:"-"`

	cause *Part
	// seen is what a list has read of the cluster, until it is looked at.
	seen *snapshot
}

// Problems is the report without the parts that are ok, except for the six that every report has.
func (r *Report) Problems() *Report {
	only := *r
	for _, p := range only.parts() {
		p.Parts = problems(p.Parts)
	}
	return &only
}

func problems(parts []Part) []Part {
	var out []Part
	for _, p := range parts {
		if p.Health != OK {
			p.Parts = problems(p.Parts)
			out = append(out, p)
		}
	}
	return out
}

// parts are all that were looked at, as they are shown.
func (r *Report) parts() []*Part {
	all := []*Part{&r.HostedCluster, &r.ControlPlane, &r.NodePools, &r.Machines, &r.Nodes, &r.Operators}
	if r.Services.Kind != "" {
		all = append(all, &r.Services)
	}
	if r.ManagedCluster.Kind != "" {
		all = append(all, &r.ManagedCluster)
	}
	if r.Expiry.Kind != "" {
		all = append(all, &r.Expiry)
	}
	return all
}

// conclude sets the health and message of the whole.
func (r *Report) conclude() {
	r.Health, r.cause = OK, nil
	for _, p := range r.parts() {
		if p.Kind != "" {
			r.Health = Worse(r.Health, p.Health)
		}
	}
	if r.Health == OK {
		r.Message = r.HostedCluster.Message
		if r.Machines.NotJudged && r.Message == "" {
			r.Message = r.Machines.Message
		}
		return
	}
	r.cause = r.candidates()[0].Part
	r.Message = r.cause.say()
}

// Says is the health with the message: "failing: Pod etcd-1: container etcd: CrashLoopBackOff".
func (r *Report) Says() string {
	return strings.TrimSuffix(fmt.Sprintf("%s: %s", r.Health, r.Message), ": ")
}

// Cause is the root cause: the first part, the innermost, that is as grave as the whole; nil if all is well.
func (r *Report) Cause() *Part { return r.cause }

// say is the part's message with its object; a condition's message begins with its name.
func (p *Part) say() string {
	if p.Name == "" || p.Message == "" || p.Kind == conditionKind {
		return p.Message
	}
	return fmt.Sprintf("%s %s: %s", p.Kind, p.Name, p.Message)
}

// Hint is the hint of the root cause, or of the first other part as grave as that which has one.
func (r *Report) Hint() hint.Text {
	for _, c := range r.candidates() {
		if !c.hint.IsZero() {
			return c.hint
		}
	}
	return hint.Text{}
}

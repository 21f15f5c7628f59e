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

// Health is a step.State, with the names that status and describe use.
type Health step.State

// The health values. The zero value is Unknown.
const (
	OK          = Health(step.StateOK)
	Warning     = Health(step.StateWarning)
	Unknown     = Health(step.StateUnknown)
	Progressing = Health(step.StatePending)
	Failing     = Health(step.StateFailing)
	Broken      = Health(step.StateBroken)
)

// Healths lists all health values, from the best to the gravest.
func Healths() []Health { return []Health{OK, Warning, Unknown, Progressing, Failing, Broken} }

// String returns the name of the health.
func (h Health) String() string {
	if h == Progressing {
		return "progressing"
	}
	return step.State(h).String()
}

// MarshalText returns the name of the health, for JSON.
func (h Health) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// Compare returns a negative number if h is better than g, and a positive number if it is graver.
func (h Health) Compare(g Health) int { return step.State(h).Compare(step.State(g)) }

// Worse returns the graver of a and b.
func Worse(a, b Health) Health { return Health(step.Worse(step.State(a), step.State(b))) }

// Part is one checked part of a cluster, with those of its parts that are not OK.
type Part struct {
	// Kind is the API kind, in the plural for a part that counts several objects.
	Kind string `json:"kind"`
	// Name of the object, without namespace; empty for several objects.
	Name   string `json:"name,omitempty"`
	Health Health `json:"health"`
	// Message is the observation, in the words of the component that reports it, or why the part could not be read.
	Message string `json:"message,omitempty"`
	// Hint says how to fix it.
	Hint hint.Text `json:"hint,omitzero"`
	// Ready of Total objects are OK; nil if nothing is counted.
	Ready *int `json:"ready,omitempty"`
	Total *int `json:"total,omitempty"`
	// NotJudged is set if hcctl does not check this part. Health is then OK, so that it does not count.
	NotJudged bool `json:"notJudged,omitempty"`
	// Version of a NodePool.
	Version string `json:"version,omitempty"`
	// Ends is the expiry of a certificate or token.
	Ends *time.Time `json:"ends,omitempty"`
	// Parts are the parts that are not OK, the causes first. NodePools and Expiry list all parts.
	Parts []Part `json:"parts,omitempty"`
	// Reason and Since are the reason and the last transition of a condition.
	Reason string    `json:"-"`
	Since  time.Time `json:"-"`
}

// add appends a part, and takes its health if that is worse.
func (p *Part) add(sub Part) {
	p.Parts = append(p.Parts, sub)
	p.Health = Worse(p.Health, sub.Health)
}

// worstFirst sorts the parts by health, if they have no order of cause and effect.
func (p *Part) worstFirst() {
	slices.SortStableFunc(p.Parts, func(a, b Part) int { return b.Health.Compare(a.Health) })
}

// count sets how many of total are ready.
func (p *Part) count(ready, total int) { p.Ready, p.Total = &ready, &total }

// objectPart returns the part for the verdict on an object.
func objectPart(kind, name string, h Health, v health.Verdict) Part {
	return Part{Kind: kind, Name: name, Health: h, Message: v.Message, Hint: v.Hint, Reason: v.Reason, Since: v.Since}
}

// unread returns a part that could not be read.
func unread(kind, why string) Part { return Part{Kind: kind, Health: Unknown, Message: why} }

// Report is the state of one hosted cluster.
type Report struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Health is the gravest health of the parts.
	Health Health `json:"health"`
	Phase  Phase  `json:"phase"`
	// Message is the message of the gravest part, causes first. If the health is OK, it is empty, or names the state that
	// the user has chosen.
	Message string `json:"message,omitempty"`
	// Version is the last one that was completely rolled out. Desired is the version being rolled out, if it differs.
	Version string `json:"version,omitempty"`
	Desired string `json:"desiredVersion,omitempty"`
	// ControlPlaneVersion is the last version that all components of the control plane had, during a roll-out (HyperShift
	// 4.22 and later).
	ControlPlaneVersion string `json:"controlPlaneVersion,omitempty"`
	// EncryptionKey is the Secret with the key of etcd's encryption. During a re-encryption it is the old key (HyperShift
	// 4.22 and later).
	EncryptionKey string `json:"encryptionKey,omitempty"`
	// API is the address of the API server, as host:port.
	API string `json:"api,omitempty"`
	// Through is how, and why, the API server was reached other than by that address.
	Through string `json:"apiThrough,omitempty"`

	HostedCluster Part `json:"hostedCluster"`
	ControlPlane  Part `json:"controlPlane,omitzero"`
	NodePools     Part `json:"nodePools"`
	Machines      Part `json:"virtualMachines,omitzero"`
	Nodes         Part `json:"nodes,omitzero"`
	Operators     Part `json:"clusterOperators,omitzero"`
	// Services are the services outside the hosted cluster; the zero Part if there are none.
	Services Part `json:"services,omitzero"`
	// ManagedCluster is the state of the cluster at its hub; the zero Part if it has no ManagedCluster.
	ManagedCluster Part `json:"managedCluster,omitzero"`
	// Expiry is about expiring certificates and tokens; the zero Part if it was not requested. Expires is the first of
	// them.
	Expiry  Part   `json:"expiry,omitzero"`
	Expires string `json:"-"`

	cause *Part
	// seen is what a list has read of the cluster, until Detail has judged it.
	seen *snapshot
}

// Problems returns the report without the parts that are OK. The six parts that every report has stay.
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

// parts returns all parts of the report, in the order of output.
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
	r.Message = r.cause.describe()
}

// Says returns the health with the message: "failing: Pod etcd-1: container etcd: CrashLoopBackOff".
func (r *Report) Says() string {
	return strings.TrimSuffix(fmt.Sprintf("%s: %s", r.Health, r.Message), ": ")
}

// Cause returns the root cause: the first innermost part that is as grave as the whole; nil if the cluster is OK.
func (r *Report) Cause() *Part { return r.cause }

// describe returns the part's message with its object. A condition's message already begins with its name.
func (p *Part) describe() string {
	if p.Name == "" || p.Message == "" || p.Kind == conditionKind {
		return p.Message
	}
	return fmt.Sprintf("%s %s: %s", p.Kind, p.Name, p.Message)
}

// Hint returns the hint of the root cause, or of the first other part that is as grave and has one.
func (r *Report) Hint() hint.Text {
	for _, c := range r.candidates() {
		if !c.hint.IsZero() {
			return c.hint
		}
	}
	return hint.Text{}
}

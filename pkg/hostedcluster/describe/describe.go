package describe

import (
	"time"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/kube/health"
)

// Description describes a hosted cluster or node pool. Its texts have one line, a limited length and no secrets.
type Description struct {
	Namespace string    `json:"namespace"`
	Name      string    `json:"name"`
	Created   time.Time `json:"created"`
	// Cluster is the hosted cluster of a node pool.
	Cluster string `json:"cluster,omitempty"`
	// Health, Phase and Message are those of hcctl status.
	Health  status.Health `json:"health"`
	Phase   status.Phase  `json:"phase,omitempty"`
	Message string        `json:"message,omitempty"`
	// Settings are the requested settings, in the order of hcctl's options.
	Settings []Setting `json:"settings"`
	// Conditions has all conditions: first those that are not good, causes before consequences.
	Conditions []Condition `json:"conditions"`
	// Addresses are the addresses of a hosted cluster's endpoints.
	Addresses []Address `json:"addresses,omitempty"`
	// Releases is the version history of a hosted cluster, the newest first.
	Releases  []Release `json:"releases,omitempty"`
	NodePools []Pool    `json:"nodePools,omitempty"`
	Machines  []Machine `json:"machines"`
	// Events are the newest events, sorted from old to new. MoreEvents is the number of omitted ones.
	Events     []health.Event `json:"events"`
	MoreEvents int            `json:"moreEvents,omitempty"`
	// NotRead lists what could not be read.
	NotRead []Gap `json:"notRead,omitempty"`
}

// Setting is an option with its value in the object.
type Setting struct {
	// Group is the heading of the option in the help.
	Group string `json:"group"`
	// Option is the name of the option in a file, Flag its name on the command line.
	Option string `json:"option"`
	Flag   string `json:"flag,omitempty"`
	Value  string `json:"value"`
}

// Condition is a condition with its meaning.
type Condition struct {
	Type    string    `json:"type"`
	Status  string    `json:"status"`
	Reason  string    `json:"reason,omitempty"`
	Message string    `json:"message,omitempty"`
	Since   time.Time `json:"since,omitzero"`
	// Meaning is good, bad, terminal (waiting does not help), advice (the cluster works nevertheless) or unknown (hcctl
	// does not judge it).
	Meaning string    `json:"meaning"`
	Hint    hint.Text `json:"hint,omitzero"`
}

// The meanings of a Condition.
const (
	Good     = "good"
	Bad      = "bad"
	Terminal = "terminal"
	Advice   = "advice"
	Unjudged = "unknown"
)

// Address is the address of an endpoint.
type Address struct {
	What    string `json:"what"`
	Address string `json:"address"`
}

// Release is an entry of the version history.
type Release struct {
	Version   string    `json:"version,omitempty"`
	State     string    `json:"state"`
	Image     string    `json:"image"`
	Started   time.Time `json:"started,omitzero"`
	Completed time.Time `json:"completed,omitzero"`
}

// Pool is a node pool of a hosted cluster.
type Pool struct {
	Name    string        `json:"name"`
	Health  status.Health `json:"health"`
	Message string        `json:"message"`
}

// Machine is a worker VM.
type Machine struct {
	Name string `json:"name"`
	Pool string `json:"pool,omitempty"`
	// Status is KubeVirt's printable status.
	Status  string    `json:"status"`
	Ready   bool      `json:"ready"`
	Created time.Time `json:"created"`
	// Node is the management cluster's node that runs the VM. Addresses are the VM's addresses. Both are empty while it
	// does not run.
	Node      string   `json:"node,omitempty"`
	Addresses []string `json:"addresses,omitempty"`
}

// Gap is something that could not be read, with the reason.
type Gap struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// Limits of a Description. A single message may list a hundred machines.
const (
	maxEvents   = 20
	maxNormal   = 5 // events of type Normal
	maxMachines = 500
	maxText     = 2 << 10
)

// line returns a text of the cluster on one line, without secrets and with at most maxText characters.
func line(text string) string {
	text = sanitize.Value(redact.Secrets(text))
	if runes := []rune(text); len(runes) > maxText {
		text = string(runes[:maxText]) + "…"
	}
	return text
}

package describe

import (
	"time"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/kube/health"
)

// Description is what is known of a hosted cluster or node pool. Texts are on one line, without secrets, and bounded.
type Description struct {
	Namespace string    `json:"namespace"`
	Name      string    `json:"name"`
	Created   time.Time `json:"created"`
	// Cluster is that of a node pool.
	Cluster string `json:"cluster,omitempty"`
	// Health, Phase and Message are those of hcctl status.
	Health  status.Health `json:"health"`
	Phase   status.Phase  `json:"phase,omitempty"`
	Message string        `json:"message,omitempty"`
	// Settings are what was asked for, in the order of hcctl's options.
	Settings []Setting `json:"settings"`
	// Conditions are all there are: first those that are not good, the causes first.
	Conditions []Condition `json:"conditions"`
	// Addresses are where a hosted cluster can be reached.
	Addresses []Address `json:"addresses,omitempty"`
	// Releases are those that a hosted cluster has had, the newest first.
	Releases  []Release `json:"releases,omitempty"`
	NodePools []Pool    `json:"nodePools,omitempty"`
	Machines  []Machine `json:"machines"`
	// Events are the newest, the oldest of them first; MoreEvents is how many are left out.
	Events     []health.Event `json:"events"`
	MoreEvents int            `json:"moreEvents,omitempty"`
	// NotRead is what could not be read.
	NotRead []Gap `json:"notRead,omitempty"`
}

// Setting is an option with its value in the object.
type Setting struct {
	// Group is the heading of the option in the help.
	Group string `json:"group"`
	// Option is its name in a file, Flag that on the command line.
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
	// Meaning is good, bad, terminal (waiting does not help), advice (it works nevertheless) or unknown (hcctl does not
	// judge it).
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

// Address is where something is reached.
type Address struct {
	What    string `json:"what"`
	Address string `json:"address"`
}

// Release is an entry of a history.
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
	// Status is KubeVirt's own word.
	Status  string    `json:"status"`
	Ready   bool      `json:"ready"`
	Created time.Time `json:"created"`
	// Node is the management cluster's node that it runs on, Addresses are its own; both only while it runs.
	Node      string   `json:"node,omitempty"`
	Addresses []string `json:"addresses,omitempty"`
}

// Gap is something that could not be read, and why.
type Gap struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// The limits of a Description. A message may name each of a hundred machines.
const (
	maxEvents   = 20
	maxNormal   = 5 // of events that warn of nothing
	maxMachines = 500
	maxText     = 2 << 10
)

// line is a text of the cluster on one line, without secrets, and bounded.
func line(text string) string {
	text = sanitize.Value(redact.Secrets(text))
	if runes := []rune(text); len(runes) > maxText {
		text = string(runes[:maxText]) + "…"
	}
	return text
}

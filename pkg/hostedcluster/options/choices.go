package options

// Wait says how far a new cluster is followed.
type Wait string

// How far a new cluster can be followed, each including those before it.
const (
	// WaitNone ends once the objects are written.
	WaitNone Wait = "none"
	// WaitAPI ends once the hosted API server answers.
	WaitAPI Wait = "api"
	// WaitNodes ends once every node of the NodePool has joined and is Ready.
	WaitNodes Wait = "nodes"
	// WaitComplete ends once the hosted cluster's own operators have all rolled out.
	WaitComplete Wait = "complete"
)

// Waits lists every Wait, the shortest first.
func Waits() []Wait { return []Wait{WaitNone, WaitAPI, WaitNodes, WaitComplete} }

// IngressMode says who makes the way in for a hosted cluster's *.apps on the management cluster.
type IngressMode string

// Who makes it.
const (
	// IngressAuto leaves it to the operators where they do it: for clusters whose ingress passes through, from 4.12.2 on.
	IngressAuto IngressMode = "auto"
	// IngressService has hcctl make it, whatever the version.
	IngressService IngressMode = "service"
	// IngressOperator leaves it to the operators, or to the user.
	IngressOperator IngressMode = "operator"
)

// IngressModes lists every IngressMode.
func IngressModes() []IngressMode { return []IngressMode{IngressAuto, IngressService, IngressOperator} }

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

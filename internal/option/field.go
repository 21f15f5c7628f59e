package option

import (
	"maps"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/hint"
)

// Field is one option, described once for the command line, the file, its schema, the documents, the completion and the
// tests.
type Field struct {
	// Name is its path in the file. In a Cluster file that is below spec or a node pool, such as "rootVolumeSize", and
	// labels and annotations are in metadata; in hcctl.yaml it is the whole path, such as "storage.mode", in which "*"
	// stands for a key of a map.
	Name string
	// Flag without dashes, such as "root-volume-size"; empty where only a file can say it.
	Flag string
	// Group is the heading that help and documents have it under.
	Group Group
	// Text describes it in one line.
	Text string
	// Values are those it may have; nil means any. ValuesInText tells that Text names them already.
	Values       []string
	ValuesInText bool
	// Refused are values that the CRD takes and that can never work, each with the reason.
	Refused map[string]string
	// Max is how many values a list, map or several files may have, by the CRD where there is a field; 0 means any number.
	Max int
	// Check says what is wrong with one value: a text, an item of a list, or KEY=VALUE of a map. An empty text is not
	// checked. Nil means that all values are right, or that the options are looked at together.
	Check func(value string) error
	// Effect is what update sets off by changing the option once its object exists. Where update does not change it, that
	// is Elsewhere: Why says so, and Way is what does; FLAG in it stands for the flag. Command is a command that gives it
	// VALUE, where Way is none.
	Effect       Effect
	Why          string
	Way, Command hint.Text
	// Runs says which steps have to run for a setting of hcctl.yaml to have an effect.
	Runs Runs
	// PoolOnly is for a field of a pool that is no flag of create cluster, which has one of that name for the cluster and
	// its pools.
	PoolOnly bool
	// Directory is for a file that may be a directory of manifests, too.
	Directory bool
	// Inline is for a file whose content a document may have in place of its name, as a map or a list.
	Inline bool
	// Needs is the oldest multicluster engine whose HyperShift has the field, such as "2.5", or Later; empty where all
	// have it. Where only one value needs it, that is NeedsFor. A test holds it to the CRDs of each release
	// (TestEveryReleaseTakesTheFieldOrRefuses).
	Needs, NeedsFor string
	// Beside is for what cannot be seen in the cluster's own objects without asking a server: what hcctl does beside them
	// or looks up.
	Beside bool
	// Writes is where it ends up: objects, each with the field's path after a space, such as "HostedCluster spec.fips".
	// Several are separated by ", ". Names in angle brackets stand for themselves.
	Writes string
	// Example is a value as it is given on the command line. That of a cluster's option has a golden file that shows what
	// comes of it; files are in testdata/examples.
	Example string
	// With are other flags that the example is of no use without.
	With string
}

// Effect is what a change of an option sets off in a hosted cluster or pool that exists.
type Effect int

// The effects, the least first.
const (
	// Elsewhere is for what update does not change, and something else does.
	Elsewhere Effect = iota
	// RestartsNothing is for what HyperShift takes over without a restart.
	RestartsNothing
	// RestartsControlPlane restarts pods of the control plane, or of the hosted cluster's own operators.
	RestartsControlPlane
	// ReplacesVMs replaces the VMs of the pool: for its platform, and for the annotation with the patch of its VMs.
	ReplacesVMs
	// ReplacesNodes replaces the nodes of every pool, and restarts the control plane. These are the fields that HyperShift
	// hashes into the configuration of the nodes: hypershift-operator/controllers/nodepool/config.go, rolloutConfig
	// (v0.1.70): the MachineConfigs of the cluster, among them the mirrors, and the proxy.
	ReplacesNodes
	// Fixed is for what cannot be changed: a transition rule of the CRD refuses it (v0.1.70, v0.1.81), or HyperShift
	// applies it only when it creates the cluster (networkType). An object that has another value is another object.
	Fixed
)

// Updatable are the options that update changes.
func Updatable(fields []Field) []Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f Field) bool {
		return f.Flag == "" || f.Effect == Elsewhere || f.Effect == Fixed
	})
}

// Refusal says why update cluster does not change the option, and what does; both are empty where it does.
func (f Field) Refusal() (why string, way hint.Text) {
	if f.Effect == Fixed && f.Why == "" {
		return "HyperShift does not allow changing it after the cluster is created",
			hint.New("%s makes another cluster with it", hint.Run("create cluster").Flag("name", "ANOTHER").Flag(f.Flag))
	}
	return f.Why, f.Way.Replace("FLAG", f.Flag)
}

// Runs says which steps have to run for a setting to have an effect; the zero value is for the run as a whole.
type Runs struct {
	// Groups are the groups of steps of which one has to run. With Checked it is enough that a step of another group needs
	// one of them.
	Groups  string
	Checked bool
	// Modes are the values of storage.mode with which it has an effect; empty for all.
	Modes string
	// Names tells that its values are groups or IDs of steps, each of which has to run.
	Names bool
}

// Path is that of the field that the option writes in an object of a kind, cut into its parts; nil if it writes none.
func (f Field) Path(kind string) []string {
	for _, place := range strings.Split(f.Writes, ", ") {
		if path, is := strings.CutPrefix(place, kind+" "); is {
			return Dotted(path)
		}
	}
	return nil
}

// Leaves visits each field of a document that is not a map with something in it, in the order of their names. path is
// where the document stands.
func Leaves(document map[string]any, path []string, each func(path []string, value any)) {
	for _, key := range slices.Sorted(maps.Keys(document)) {
		at := append(slices.Clone(path), key)
		if inner, is := document[key].(map[string]any); is && len(inner) > 0 {
			Leaves(inner, at, each)
			continue
		}
		each(at, document[key])
	}
}

// Dotted cuts a path into its parts. Brackets hold a part that has dots itself.
func Dotted(path string) []string {
	var parts []string
	for path != "" {
		end := strings.IndexAny(path, ".[")
		switch {
		case end < 0:
			return append(parts, path)
		case path[end] == '.':
			parts, path = append(parts, path[:end]), path[end+1:]
		default:
			if end > 0 {
				parts = append(parts, path[:end])
			}
			inside, rest, _ := strings.Cut(path[end+1:], "]")
			parts, path = append(parts, inside), strings.TrimPrefix(rest, ".")
		}
	}
	return parts
}

// Group is a heading over options that belong together.
type Group string

// The groups of create's options, in the order of its help.
const (
	Cluster      Group = "Cluster"
	Release      Group = "Release"
	Workers      Group = "Workers"
	Storage      Group = "Storage"
	Network      Group = "Network"
	Publishing   Group = "Publishing"
	ControlPlane Group = "Control plane"
	Services     Group = "Services"
)

// Groups are all groups of fields, in order.
func Groups() []Group {
	return []Group{Cluster, Release, Workers, Storage, Network, Publishing, ControlPlane, Services}
}

// Usage is the help of the flag.
func (f Field) Usage() string {
	text := f.Text
	if len(f.Values) > 0 && !f.ValuesInText {
		text += " (" + strings.Join(f.Values, ", ") + ")"
	}
	if f.Needs != "" {
		text += "; " + f.NeedsEngine("")
	}
	return text
}

// NeedsEngine says which multicluster engine the option needs; it is empty where all do. The option is called as given.
func (f Field) NeedsEngine(name string) string {
	if f.Needs == "" {
		return ""
	}
	return strings.TrimSpace(strings.TrimSpace(name+" "+f.NeedsFor) + " needs multicluster engine " + f.Needs)
}

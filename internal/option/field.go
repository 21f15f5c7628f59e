package option

import (
	"maps"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/hint"
)

// Field describes one option for the command line, the file, its schema, the documents, the completion and the tests.
type Field struct {
	// Name is the path in the file. In a Cluster file that is the path below spec or a node pool, such as
	// "rootVolumeSize"; labels and annotations are in metadata. In hcctl.yaml it is the whole path, such as
	// "storage.mode", in which "*" stands for a key of a map.
	Name string
	// Flag is the flag without dashes, such as "root-volume-size"; "" if only a file can set the option.
	Flag string
	// Group is the heading of the option in help and documents.
	Group Group
	// Text describes it in one line.
	Text string
	// Values are the allowed values; nil means any. ValuesInText is set if Text has them already.
	Values       []string
	ValuesInText bool
	// Refused has values that the CRD accepts but that never work, each with the reason.
	Refused map[string]string
	// Max is the maximum number of values of a list, map or several files, by the CRD if it has the field; 0 means no
	// limit.
	Max int
	// Check validates one value: a text, an item of a list, or KEY=VALUE of a map. An empty text is not checked. Nil means
	// that all values are valid, or that the options are validated together.
	Check func(value string) error
	// Effect is the effect of changing the option of an existing object. Elsewhere means that update does not change it:
	// Why is the reason, and Way what changes it instead; FLAG in Way stands for the flag. If Way is empty, Command is a
	// command that sets it to VALUE.
	Effect       Effect
	Why          string
	Way, Command hint.Text
	// Runs are the steps that must run for a setting of hcctl.yaml to have an effect.
	Runs Runs
	// PoolOnly marks a field of a pool that is no flag of create cluster, where a flag of that name is for the cluster and
	// its pools.
	PoolOnly bool
	// Directory is set if the file may be a directory of manifests, too.
	Directory bool
	// Inline is set if a document may have the content of the file in place of its name, as a map or a list.
	Inline bool
	// Needs is the oldest multicluster engine whose HyperShift has the field, such as "2.5", or Later; "" if all have it.
	// NeedsFor is the value that needs it, if only one does. A test compares it with the CRDs of each release
	// (TestEveryReleaseTakesTheFieldOrRefuses).
	Needs, NeedsFor string
	// Beside marks an option that is not visible in the cluster's own objects without a request to another server: hcctl
	// handles it separately or looks it up.
	Beside bool
	// Writes has the objects that the option writes, each with the field's path after a space, such as "HostedCluster
	// spec.fips". Several are separated by ", ". Names in angle brackets are placeholders.
	Writes string
	// Example is a value in the form of the command line. For a cluster's option a golden file shows the result; files are
	// in testdata/examples.
	Example string
	// With has the flags without which the example has no effect.
	With string
}

// Effect is the effect of a change of an option on an existing hosted cluster or pool.
type Effect int

// The effects, the smallest first.
const (
	// Elsewhere means that something else than update changes the option.
	Elsewhere Effect = iota
	// RestartsNothing means that HyperShift applies the change without a restart.
	RestartsNothing
	// RestartsControlPlane restarts pods of the control plane, or of the hosted cluster's own operators.
	RestartsControlPlane
	// ReplacesVMs replaces the VMs of the pool: for its platform, and for the annotation with the patch of its VMs.
	ReplacesVMs
	// ReplacesNodes replaces the nodes of every pool, and restarts the control plane. It is for the fields that HyperShift
	// hashes into the configuration of the nodes (hypershift-operator/controllers/nodepool/config.go, rolloutConfig,
	// v0.1.70): the proxy and the cluster's MachineConfigs, which include the mirrors.
	ReplacesNodes
	// Fixed means that the option cannot be changed: a transition rule of the CRD rejects it (v0.1.70, v0.1.81), or
	// HyperShift applies it only when it creates the cluster (networkType). Another value needs another object.
	Fixed
)

// Updatable returns the options that update changes.
func Updatable(fields []Field) []Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f Field) bool {
		return f.Flag == "" || f.Effect == Elsewhere || f.Effect == Fixed
	})
}

// Refusal returns why update cluster does not change the option, and what does; both are empty if it does.
func (f Field) Refusal() (why string, way hint.Text) {
	if f.Effect == Fixed && f.Why == "" {
		return "HyperShift does not allow changing it after the cluster is created",
			hint.New("%s makes another cluster with it", hint.Run("create cluster").Flag("name", "ANOTHER").Flag(f.Flag))
	}
	return f.Why, f.Way.Replace("FLAG", f.Flag)
}

// Runs has the steps that must run for a setting to have an effect. The zero value means the run as a whole.
type Runs struct {
	// Groups are the groups of steps of which one must run. With Checked it is enough that a step of another group needs
	// one of them.
	Groups  string
	Checked bool
	// Modes are the values of storage.mode for which it has an effect; empty for all.
	Modes string
	// Names is set if the values are groups or IDs of steps, each of which must run.
	Names bool
}

// Path returns the path of the field that the option writes in an object of a kind, split into its parts; nil if it
// writes none.
func (f Field) Path(kind string) []string {
	for _, place := range strings.Split(f.Writes, ", ") {
		if path, is := strings.CutPrefix(place, kind+" "); is {
			return Dotted(path)
		}
	}
	return nil
}

// Leaves calls each for every field of a document that is not a non-empty map, sorted by name. path is the path of the
// document.
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

// Dotted splits a path into its parts. Brackets enclose a part that contains dots.
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

// Group is a heading for related options.
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

// Groups returns all groups of fields, in order.
func Groups() []Group {
	return []Group{Cluster, Release, Workers, Storage, Network, Publishing, ControlPlane, Services}
}

// Usage returns the help text of the flag.
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

// NeedsEngine returns which multicluster engine the option needs, with the given name for the option; "" if all have
// it.
func (f Field) NeedsEngine(name string) string {
	if f.Needs == "" {
		return ""
	}
	return strings.TrimSpace(strings.TrimSpace(name+" "+f.NeedsFor) + " needs multicluster engine " + f.Needs)
}

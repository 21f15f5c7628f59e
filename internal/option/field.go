package option

import "strings"

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
	// PoolOnly is for a field of a pool that is no flag of create cluster, which has one of that name for the cluster and
	// its pools.
	PoolOnly bool
	// Folder is for a file that may be a folder of manifests, too.
	Folder bool
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

// Later is what an option needs that the newest multicluster engine lacks.
const Later = "later than 2.11"

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

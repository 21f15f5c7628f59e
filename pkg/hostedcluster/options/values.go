package options

import "github.com/hcctl/hcctl/pkg/manifests"

// The types of options that are not plain ones. What reads options, from flags or from a file, goes by them.

// File is a file that an option names. In a Cluster file and on the command line it is a path.
type File struct {
	// Path as it was given, "-" for standard input; empty means no file.
	Path string
	// Content is what was in it, once it has been read.
	Content []byte
	// Parts are the files in it where it is a folder, which only fields with Folder take.
	Parts []manifests.File
}

// Manifests are the files of manifests that were read of it: its parts, or itself.
func (f File) Manifests() []manifests.File {
	if f.Content == nil {
		return f.Parts
	}
	return []manifests.File{{Name: f.Path, Data: f.Content}}
}

// Given tells whether there is a file.
func (f File) Given() bool { return f.Path != "" || len(f.Content) > 0 }

// Files are several files; on the command line the flag is repeated.
type Files []File

// List is a list of words; on the command line they are separated by commas, or the flag is repeated. A []string is for
// values that may have commas in themselves: there the flag is repeated.
type List []string

// Annotations are as a map of strings; on the command line the flag is repeated, as values may have commas in
// themselves.
type Annotations map[string]string

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

package probe

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/step"
)

// Group is the heading of the probes in reports.
const Group = "probes"

// docs is the page about the probes, with an anchor for each.
const docs = "docs/probes.md"

// DefaultTimeout is how long one probe may take, without its clean-up.
const DefaultTimeout = 3 * time.Minute

// All stands for every probe in a list of names.
const All = "all"

// The names of probes, a contract with scripts.
const (
	Storage        = "storage"
	LoadBalancer   = "load-balancer"
	Wildcard       = "wildcard"
	Virtualization = "virtualization"
	Pull           = "pull"
)

// Names lists the probes, in the order of reports.
func Names() []string { return []string{Storage, LoadBalancer, Wildcard, Virtualization, Pull} }

// Options say what is tried, and how.
type Options struct {
	// Names are the probes; All stands for every one.
	Names []string
	// Timeout is how long each probe may take; zero means DefaultTimeout.
	Timeout time.Duration
	// Image is the image of the probes' pods; empty means the client image of the cluster's release.
	Image string
	// Latency adds a measurement of how long the volumes for etcd take to write to disk.
	Latency bool
	// Volumes are the classes that a hosted cluster is going to use.
	Volumes Volumes
	// OwnAddresses means that a hosted cluster does not take its address from the pools that serve every namespace.
	OwnAddresses bool
	// Pulls are the release images that hosted clusters are going to use; none means the management cluster's own.
	Pulls []Pulled
	// inside means that the cluster is a hosted one, see InsideSteps.
	inside bool
	// Found returns the result of a check before the probes. Nil means that nothing was checked.
	Found func(step.ID) (step.Result, bool)
}

// Volumes are what is not left to the cluster's defaults.
type Volumes struct {
	// EtcdClass and DiskClass are StorageClasses; empty means the default for etcd and for disks of VMs.
	EtcdClass, DiskClass string
	// DiskAccessModes are the access modes of the disks; none means those of the class's StorageProfile.
	DiskAccessModes []string
	// DiskVolumeMode is Block or Filesystem; empty means that of the class's StorageProfile.
	DiskVolumeMode string
}

// Pulled is a release image with the pull secret that has to open its registry, the bytes of a Docker configuration.
type Pulled struct {
	Image  string
	Secret []byte
}

// Probe is one thing that is tried out.
type Probe struct {
	// ID is that of its step, "probe/" and then a part of its namespace's name.
	ID    step.ID
	Title string
	// Name is the word of Names that chooses it.
	Name string
	// Severity is step.Required by default.
	Severity step.Severity
	// Rests are the checks without which it cannot succeed.
	Rests []step.ID
	// After are the probes that would disturb it.
	After []step.ID
	// Unrestricted leaves the namespace without a label that enforces the restricted PodSecurity standard.
	Unrestricted bool
	// Rights are what it needs beyond the rights of every probe.
	Rights []access.Rule
	// Inside tells that it is for hosted clusters, and not for the management cluster.
	Inside bool
	// Wanted reports whether the options ask for it; nil means always.
	Wanted func(Options) bool
	// Run tries it out. What it creates is in the session's namespace.
	Run attempt
}

// Probes lists every probe, in the order of reports.
func Probes() []Probe {
	return []Probe{etcdVolume(), diskVolume(), latency(), loadBalancer(), wildcard(), wildcardName(), virtualization(),
		pull(), insideVolume()}
}

// Parse checks the names of probes. The error names the first that is none.
func Parse(names []string) ([]string, error) {
	for _, name := range names {
		if name != All && !slices.Contains(Names(), name) {
			return nil, fmt.Errorf("%q is not a probe: there are %s, and %s", name, strings.Join(Names(), ", "), All)
		}
	}
	if slices.Contains(names, All) {
		return Names(), nil
	}
	return names, nil
}

// chosen are the probes that the options ask for.
func chosen(o Options) []Probe {
	return slices.DeleteFunc(Probes(), func(p Probe) bool {
		return p.Inside != o.inside || !slices.Contains(o.Names, p.Name) && !slices.Contains(o.Names, All) ||
			p.Wanted != nil && !p.Wanted(o)
	})
}

// part is the part of the ID after the slash.
func (p Probe) part() string { return strings.TrimPrefix(string(p.ID), "probe/") }

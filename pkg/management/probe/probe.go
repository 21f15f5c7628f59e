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

// docs is the page about the probes, with an anchor for each of them.
const docs = "docs/probes.md"

// DefaultTimeout is the time limit of one probe, without its clean-up.
const DefaultTimeout = 3 * time.Minute

// All stands for all probes in a list of names.
const All = "all"

// Names of probes, a contract with scripts.
const (
	Storage        = "storage"
	LoadBalancer   = "load-balancer"
	Wildcard       = "wildcard"
	Virtualization = "virtualization"
	Pull           = "pull"
)

// Names lists the probes, in the order of reports.
func Names() []string { return []string{Storage, LoadBalancer, Wildcard, Virtualization, Pull} }

// Options select the probes and configure them.
type Options struct {
	// Names are the probes; All stands for all of them.
	Names []string
	// Timeout is the time limit of each probe; zero means DefaultTimeout.
	Timeout time.Duration
	// Image is the image of the probes' pods; empty means the release's client image.
	Image string
	// Latency adds a measurement of the write latency of volumes for etcd.
	Latency bool
	// Volumes are the classes that a hosted cluster will use.
	Volumes Volumes
	// OwnAddresses means that a hosted cluster does not use the pools that serve every namespace.
	OwnAddresses bool
	// Pulls are the release images that hosted clusters will use; none means the management cluster's own.
	Pulls []Pulled
	// inside means that the cluster is a hosted cluster, see InsideSteps.
	inside bool
	// Found returns the result of an earlier check. Nil means that nothing was checked.
	Found func(step.ID) (step.Result, bool)
}

// Volumes override the cluster's defaults.
type Volumes struct {
	// EtcdClass and DiskClass are StorageClasses; empty means the default for etcd and for disks of VMs.
	EtcdClass, DiskClass string
	// DiskAccessModes are the access modes of the disks; none means the StorageProfile's.
	DiskAccessModes []string
	// DiskVolumeMode is Block or Filesystem; empty means the StorageProfile's.
	DiskVolumeMode string
}

// Pulled is a release image with the pull secret for its registry, a Docker configuration.
type Pulled struct {
	Image  string
	Secret []byte
}

// Probe is one test.
type Probe struct {
	// ID is the ID of its step: "probe/" and a part that is also in its namespace's name.
	ID    step.ID
	Title string
	// Name is the name in Names that selects it.
	Name string
	// Severity is step.Required by default.
	Severity step.Severity
	// Rests are the checks that must succeed before.
	Rests []step.ID
	// After are the probes that would interfere with it.
	After []step.ID
	// Unrestricted omits the label that enforces the restricted PodSecurity standard in the namespace.
	Unrestricted bool
	// Rights are needed in addition to those of every probe.
	Rights []access.Rule
	// Inside means that it is for hosted clusters, not for the management cluster.
	Inside bool
	// Wanted reports whether the options include it; nil means always.
	Wanted func(Options) bool
	// Run performs the test. It creates everything in the session's namespace.
	Run attempt
}

// Probes lists every probe, in the order of reports.
func Probes() []Probe {
	return []Probe{etcdVolume(), diskVolume(), latency(), loadBalancer(), wildcard(), wildcardName(), virtualization(),
		pull(), insideVolume()}
}

// Parse resolves names of probes. The error names the first unknown one.
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

// chosen returns the probes that the options select.
func chosen(o Options) []Probe {
	return slices.DeleteFunc(Probes(), func(p Probe) bool {
		return p.Inside != o.inside || !slices.Contains(o.Names, p.Name) && !slices.Contains(o.Names, All) ||
			p.Wanted != nil && !p.Wanted(o)
	})
}

// part returns the part of the ID after the slash.
func (p Probe) part() string { return strings.TrimPrefix(string(p.ID), "probe/") }

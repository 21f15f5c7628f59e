package config

import (
	"slices"
	"strings"
	"time"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/prereqs"
	"github.com/hcctl/hcctl/pkg/prereqs/cluster"
	"github.com/hcctl/hcctl/pkg/prereqs/design"
	"github.com/hcctl/hcctl/pkg/prereqs/disk"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/multicluster"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/prereqs/virtualization"
	"github.com/hcctl/hcctl/pkg/step"
)

// apiVersion and kind of the document hcctl.yaml.
const (
	APIVersion = step.APIVersion
	Kind       = "Bootstrap"
)

// Bootstrap is the document hcctl.yaml: the settings of check and bootstrap. Fields describes its fields.
type Bootstrap struct {
	APIVersion     string                   `yaml:"apiVersion"`
	Kind           string                   `yaml:"kind"`
	Storage        Storage                  `yaml:"storage"`
	Virtualization Virtualization           `yaml:"virtualization"`
	LoadBalancer   LoadBalancer             `yaml:"loadBalancer"`
	Multicluster   Multicluster             `yaml:"multicluster"`
	Mirrors        Mirrors                  `yaml:"mirrors"`
	With           options.List             `yaml:"with"`
	Approval       string                   `yaml:"approval"`
	Operators      map[string]Operator      `yaml:"operators"`
	TakeOver       options.List             `yaml:"takeOver"`
	Only           options.List             `yaml:"only"`
	Skip           options.List             `yaml:"skip"`
	Timeout        time.Duration            `yaml:"timeout"`
	Timeouts       map[string]time.Duration `yaml:"timeouts"`
	TroubleTimeout time.Duration            `yaml:"troubleTimeout"`
	Parallel       int                      `yaml:"parallel"`
}

// Storage configures where volumes come from.
type Storage struct {
	Mode                storage.Mode   `yaml:"mode"`
	DefaultStorageClass string         `yaml:"defaultStorageClass"`
	HostPath            string         `yaml:"hostPath"`
	Grow                bool           `yaml:"grow"`
	Disks               Disks          `yaml:"disks"`
	DataFoundation      DataFoundation `yaml:"dataFoundation"`
	LVMS                LVMS           `yaml:"lvms"`
}

// Disks selects the disks of the nodes that Data Foundation or LVM Storage may take.
type Disks struct {
	Nodes   string       `yaml:"nodes"`
	Types   options.List `yaml:"types"`
	Media   string       `yaml:"media"`
	MinSize string       `yaml:"minSize"`
	MaxSize string       `yaml:"maxSize"`
	Take    options.List `yaml:"take"`
	Leave   options.List `yaml:"leave"`
	PerNode int          `yaml:"perNode"`
	Agreed  options.List `yaml:"agreed"`
}

// DataFoundation is the layout of a new StorageCluster.
type DataFoundation struct {
	ResourceProfile     string `yaml:"resourceProfile"`
	Encryption          bool   `yaml:"encryption"`
	ObjectGateways      string `yaml:"objectGateways"`
	Spread              string `yaml:"spread"`
	DeviceSets          int    `yaml:"deviceSets"`
	VirtualizationClass string `yaml:"virtualizationClass"`
	ConsolePlugin       string `yaml:"consolePlugin"`
	// Spec has fields of the StorageCluster's spec, also for an existing one.
	Spec *prereq.Settings `yaml:"spec"`
}

// LVMS is the layout of a new LVMCluster.
type LVMS struct {
	Spec *prereq.Settings `yaml:"spec"`
}

// Virtualization configures what runs the VMs.
type Virtualization struct {
	Source    string `yaml:"source"`
	Manifests string `yaml:"manifests"`
	// Spec has fields of the HyperConverged's spec.
	Spec *prereq.Settings `yaml:"spec"`
}

// LoadBalancer configures where hosted API servers get their addresses.
type LoadBalancer struct {
	Mode          loadbalancer.Mode `yaml:"mode"`
	MetalLBRanges options.List      `yaml:"metallbRanges"`
	// MetalLBSpec has fields of the MetalLB's spec.
	MetalLBSpec *prereq.Settings `yaml:"metallbSpec"`
}

// Multicluster configures multicluster engine, which installs HyperShift.
type Multicluster struct {
	EnableComponents options.List `yaml:"enableComponents"`
	// Spec has fields of the MultiClusterEngine's spec.
	Spec *prereq.Settings `yaml:"spec"`
}

// Mirrors configures where images and operators come from on a disconnected cluster.
type Mirrors struct {
	Resources    string            `yaml:"resources"`
	Catalogs     map[string]string `yaml:"catalogs"`
	Certificates map[string]string `yaml:"certificates"`
	PullSecret   string            `yaml:"pullSecret"`
}

// Operator pins the version, channel or catalog of one operator.
type Operator struct {
	Approval      string `yaml:"approval"`
	StartingCSV   string `yaml:"startingCSV"`
	Channel       string `yaml:"channel"`
	CatalogSource string `yaml:"catalogSource"`
}

// Default returns the defaults of all settings.
func Default() Bootstrap {
	return Bootstrap{
		APIVersion: APIVersion, Kind: Kind,
		Storage:        Storage{Mode: storage.Modes()[0]},
		Virtualization: Virtualization{Source: "redhat"},
		LoadBalancer:   LoadBalancer{Mode: loadbalancer.Modes()[0]},
		Timeout:        time.Hour,
		TroubleTimeout: 10 * time.Minute,
	}
}

func (d Disks) options() disk.Options {
	return disk.Options{Nodes: d.Nodes, Types: d.Types, Media: d.Media, MinSize: d.MinSize, MaxSize: d.MaxSize,
		Take: d.Take, Leave: d.Leave, PerNode: d.PerNode, Agreed: d.Agreed}
}

func (d DataFoundation) options() design.Options {
	return design.Options{Profile: d.ResourceProfile, Encryption: d.Encryption, Gateways: d.ObjectGateways,
		Spread: d.Spread, DeviceSets: d.DeviceSets, VirtualizationClass: d.VirtualizationClass,
		ConsolePlugin: d.ConsolePlugin}
}

// optional returns the optional groups: those in With, and those that Only names.
func (b Bootstrap) optional() []string {
	out := slices.Clone(b.With)
	for _, group := range prereqs.OptionalGroups() {
		named := func(name string) bool { return name == group || strings.HasPrefix(name, group+"/") }
		if slices.ContainsFunc(b.Only, named) {
			out = append(out, group)
		}
	}
	return out
}

// Options converts the document to the options of pkg/prereqs, without validation.
func (b Bootstrap) Options() prereqs.Options {
	o := prereqs.Options{
		Storage: storage.Options{Mode: b.Storage.Mode, DefaultClass: b.Storage.DefaultStorageClass,
			HostPath: b.Storage.HostPath, Grow: b.Storage.Grow, Disks: b.Storage.Disks.options(),
			Design:             b.Storage.DataFoundation.options(),
			DataFoundationSpec: b.Storage.DataFoundation.Spec, LVMSpec: b.Storage.LVMS.Spec},
		Virtualization: virtualization.Options{Source: b.Virtualization.Source, Manifests: b.Virtualization.Manifests,
			Spec: b.Virtualization.Spec},
		LoadBalancer: loadbalancer.Options{Mode: b.LoadBalancer.Mode, MetalLBRanges: b.LoadBalancer.MetalLBRanges,
			MetalLBSpec: b.LoadBalancer.MetalLBSpec},
		Multicluster: multicluster.Options{EnableComponents: b.Multicluster.EnableComponents, Spec: b.Multicluster.Spec},
		Mirrors: cluster.MirrorOptions{Resources: b.Mirrors.Resources, Catalogs: b.Mirrors.Catalogs,
			Certificates: b.Mirrors.Certificates, PullSecret: b.Mirrors.PullSecret},
		With:     b.optional(),
		Approval: b.Approval,
		TakeOver: b.TakeOver,
	}
	for name, pin := range b.Operators {
		if o.Operators == nil {
			o.Operators = map[string]olm.Pin{}
		}
		o.Operators[name] = olm.Pin{Approval: pin.Approval, StartingCSV: pin.StartingCSV,
			Channel: pin.Channel, CatalogSource: pin.CatalogSource}
	}
	return o
}

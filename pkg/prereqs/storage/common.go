// Package storage holds the prerequisites of storage: a default StorageClass, from OpenShift Data Foundation, LVM
// Storage or what is there, that virtual machines and etcd can use. source.go decides where it comes from.
package storage

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/consent"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/design"
	"github.com/hcctl/hcctl/pkg/prereqs/disk"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Mode is where the default StorageClass is to come from.
type Mode string

// The storage modes; the zero value is ModeAuto.
const (
	// ModeAuto keeps a healthy default class, else takes OpenShift Data Foundation's, installing it on local disks if
	// need be.
	ModeAuto Mode = "auto"
	// ModeExisting installs nothing: the default class must be there.
	ModeExisting Mode = "existing"
	// ModeDataFoundation means OpenShift Data Foundation.
	ModeDataFoundation Mode = "odf"
	// ModeLVM means LVM Storage: no shared volumes, so worker VMs cannot be migrated live.
	ModeLVM Mode = "lvms"
	// ModeHostPath means directories of the nodes, by OpenShift Virtualization's hostpath provisioner: for labs.
	ModeHostPath Mode = "hostpath"
	// ModeNone neither checks nor installs storage.
	ModeNone Mode = "none"
)

// Modes lists them, the default first.
func Modes() []Mode {
	return []Mode{ModeAuto, ModeExisting, ModeDataFoundation, ModeLVM, ModeHostPath, ModeNone}
}

// Options is what a user can say about storage.
type Options struct {
	// Mode is ModeAuto unless said otherwise.
	Mode Mode
	// DefaultClass is the StorageClass that is to be the only default one. Empty changes no class that is marked already.
	DefaultClass string
	// Grow adds disks, and free volumes, to the StorageCluster or LVMCluster that hcctl created.
	Grow bool
	// HostPath is the directory of the nodes that volumes are in; empty means defaultHostPath.
	HostPath string
	// Disks are those that Data Foundation or LVM Storage may take.
	Disks disk.Options
	// Design is how a new StorageCluster is laid out.
	Design design.Options
	// DataFoundationSpec and LVMSpec are settings of the StorageCluster and of the LVMCluster; the latter only of a new
	// one, since LVM Storage takes hardly a change.
	DataFoundationSpec, LVMSpec *prereq.Settings
}

// Validated are Options that can work, each parsed once. Options.Validate makes them.
type Validated struct {
	Options
	// TakeOver are the steps for which decisions of others may be replaced.
	TakeOver prereq.TakeOver

	disks   disk.Selection
	consent Consent
}

// Consent is how a run gets a user's consent to the disks that it is about to take. The zero value asks nobody.
type Consent struct {
	Caller consent.Caller
	// Show has the plan before anything is written, and asks if asks is set. An error ends the step.
	Show func(ctx context.Context, plan disk.Plan, asks bool) error
}

// decide says whether the disks of the plan may be taken.
func (c Consent) decide(p disk.Plan) consent.Decision { return c.Caller.Decide(p.Request()) }

// CalledWith are the options of a call with these further flags.
func (v Validated) CalledWith(flags []string) Validated {
	v.disks = v.disks.CalledWith(flags)
	return v
}

// Agreeing are the options of a user who agrees to a saved plan of disks.
func (v Validated) Agreeing(saved disk.Saved) Validated {
	v.disks = v.disks.With(saved)
	return v
}

// Validate parses the options. The error names the flag and the value that is wrong.
func (o Options) Validate() (Validated, error) {
	v := Validated{Options: o}
	if err := prereq.OneOf("storage.mode", o.Mode, Modes()); err != nil {
		return v, err
	}
	var err error
	if v.disks, err = o.Disks.Validate(); err != nil {
		return v, err
	}
	if class := v.disks.Class(); class != "" && o.Mode == ModeLVM {
		return v, option.Errorf("storage.disks.agreed", "class="+class, "LVM Storage takes disks, not volumes of a class")
	}
	if err := o.DataFoundationSpec.Validate(reserved()...); err != nil {
		return v, err
	}
	if err := o.validateLVM(); err != nil {
		return v, err
	}
	if err := o.validateHostPath(); err != nil {
		return v, err
	}
	return v, o.Design.Validate()
}

// validateLVM refuses other device classes, and other disks, than those that a user has agreed to.
func (o Options) validateLVM() error {
	if o.LVMSpec == nil {
		return nil
	}
	given := &unstructured.Unstructured{Object: map[string]any{"spec": o.LVMSpec.Fields}}
	for i, class := range kube.Maps(given, "spec", "storage", "deviceClasses") {
		at := fmt.Sprintf("%s.storage.deviceClasses[%d]", o.LVMSpec.Path, i)
		if name := prereq.Text(class, "name"); name != lvmDeviceClass {
			return option.Errorf(at, nil, "hcctl makes one device class: use name: %s", lvmDeviceClass)
		}
		for _, field := range []string{"deviceSelector", "nodeSelector", "default"} {
			if _, there := class[field]; there {
				return option.Errorf(at+"."+field, nil, "hcctl decides on this field: use storage.disks and "+
					"storage.defaultStorageClass")
			}
		}
	}
	return nil
}

// reserved are the fields of a StorageCluster that other options decide on.
func reserved() []prereq.Reserved {
	const layout = "storage.dataFoundation."
	return []prereq.Reserved{
		{Field: "storageDeviceSets", Option: "storage.disks and " + layout + "deviceSets"},
		{Field: "flexibleScaling", Option: layout + "spread"}, {Field: "monDataDirHostPath"},
		{Field: "encryption.clusterWide", Option: layout + "encryption"},
		{Field: "resourceProfile", Option: layout + "resourceProfile"},
		{Field: "multiCloudGateway.reconcileStrategy", Option: layout + "objectGateways"},
		{Field: "managedResources.cephObjectStores.reconcileStrategy", Option: layout + "objectGateways"},
		{Field: "managedResources.cephObjectStoreUsers.reconcileStrategy", Option: layout + "objectGateways"},
		{Field: "managedResources.cephBlockPools.defaultStorageClass", Option: "storage.defaultStorageClass"},
		{Field: "managedResources.cephBlockPools.defaultVirtualizationStorageClass", Option: layout + "virtualizationClass"},
	}
}

// Showing returns the options of a run that shows its disks before it takes them.
func (v Validated) Showing(c Consent) Validated {
	v.consent = c
	return v
}

// common is what every prerequisite of storage works with.
type common struct {
	o    Validated
	pins olm.Pins
}

// operator installs a row of the table of operators as pinned.
func (s common) operator(row olm.Operator) olm.Installer {
	return olm.NewInstaller(row.Pinned(s.pins))
}

// Planned are the settings of the StorageCluster and of the LVMCluster.
func (v Validated) Planned(pins olm.Pins) []prereq.Planned {
	s := common{v, pins}
	return []prereq.Planned{
		{Settings: v.DataFoundationSpec, Kind: kube.StorageCluster, Version: s.operator(olm.DataFoundation()).Foreseen},
		{Settings: v.LVMSpec, Kind: kube.LVMCluster, Version: s.operator(olm.LVMStorage()).Foreseen},
	}
}

// none is the finding of every prerequisite of storage where storage is a user's own business; nil means it is not.
func (s common) none() *step.Finding {
	if s.o.Mode != ModeNone {
		return nil
	}
	f := step.Finding{State: step.StateSkipped,
		Message: fmt.Sprintf("neither checked nor installed (%s none)", hint.Flag("storage"))}
	return &f
}

// listStorage are the rights to list kinds that volumes come from.
func listStorage(resources ...string) []access.Rule {
	rules := make([]access.Rule, 0, len(resources))
	for _, r := range resources {
		rules = append(rules, access.Rule{Verbs: "list", Resources: r, Why: "where volumes come from"})
	}
	return rules
}

// planRights are the rights of common.plan.
func planRights() []access.Rule {
	return listStorage("storageclasses.storage.k8s.io", "storageclusters.ocs.openshift.io", "lvmclusters.lvm.topolvm.io")
}

// listSources are the rights to find what makes volumes of the nodes' disks.
func listSources() []access.Rule {
	return listStorage("localvolumesets.local.storage.openshift.io", "localvolumes.local.storage.openshift.io")
}

// listVolumes are the rights to find the disks, and who uses them.
func listVolumes() []access.Rule {
	return append(listSources(), listStorage("localvolumediscoveries.local.storage.openshift.io",
		"localvolumediscoveryresults.local.storage.openshift.io", "persistentvolumes")...)
}

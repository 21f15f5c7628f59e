// Package storage holds the prerequisites of storage: a default StorageClass that virtual machines and etcd can use,
// from OpenShift Data Foundation, LVM Storage, the hostpath provisioner or existing storage. source.go chooses the
// source.
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

// Mode is the source of the default StorageClass.
type Mode string

// The storage modes; the zero value is ModeAuto.
const (
	// ModeAuto keeps a working default class. If there is none, it uses OpenShift Data Foundation and installs it on local
	// disks if needed.
	ModeAuto Mode = "auto"
	// ModeExisting installs nothing: the default class must exist.
	ModeExisting Mode = "existing"
	// ModeDataFoundation means OpenShift Data Foundation.
	ModeDataFoundation Mode = "odf"
	// ModeLVM means LVM Storage: it has no shared volumes, so worker VMs cannot be migrated live.
	ModeLVM Mode = "lvms"
	// ModeHostPath means directories of the nodes, provided by OpenShift Virtualization's hostpath provisioner: for labs.
	ModeHostPath Mode = "hostpath"
	// ModeNone neither checks nor installs storage.
	ModeNone Mode = "none"
)

// Modes lists the storage modes, the default first.
func Modes() []Mode {
	return []Mode{ModeAuto, ModeExisting, ModeDataFoundation, ModeLVM, ModeHostPath, ModeNone}
}

// Options are a user's settings for storage.
type Options struct {
	// Mode is ModeAuto by default.
	Mode Mode
	// DefaultClass names the StorageClass that becomes the only default one. If it is empty, classes that are marked
	// already stay as they are.
	DefaultClass string
	// Grow adds disks, and free volumes, to the StorageCluster or LVMCluster that hcctl created.
	Grow bool
	// HostPath is the directory of the nodes that holds the volumes; defaultHostPath by default.
	HostPath string
	// Disks are the disks that Data Foundation or LVM Storage may take.
	Disks disk.Options
	// Design is the layout of a new StorageCluster.
	Design design.Options
	// DataFoundationSpec and LVMSpec are settings of the StorageCluster and of the LVMCluster. LVMSpec applies to a new
	// LVMCluster only, because LVM Storage accepts hardly any change.
	DataFoundationSpec, LVMSpec *prereq.Settings
}

// Validated are checked Options, each value parsed once. Options.Validate makes them.
type Validated struct {
	Options
	// TakeOver lists the steps that may replace decisions of other users and tools.
	TakeOver prereq.TakeOver

	disks   disk.Selection
	consent Consent
}

// Consent is how a run gets the user's consent to the disks that it will take. The zero value asks no question.
type Consent struct {
	Caller consent.Caller
	// Show shows the plan before anything is written, and asks the user if asks is set. An error ends the step.
	Show func(ctx context.Context, plan disk.Plan, asks bool) error
}

// decide returns whether the disks of the plan may be taken.
func (c Consent) decide(p disk.Plan) consent.Decision { return c.Caller.Decide(p.Request()) }

// CalledWith returns the options of the same call with these further flags.
func (v Validated) CalledWith(flags []string) Validated {
	v.disks = v.disks.CalledWith(flags)
	return v
}

// Agreeing returns the options of a user who agrees to a saved plan of disks.
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

// validateLVM refuses device classes other than hcctl's, and settings of its disks: the user approves disks elsewhere.
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
			if _, set := class[field]; set {
				return option.Errorf(at+"."+field, nil, "hcctl decides on this field: use storage.disks and "+
					"storage.defaultStorageClass")
			}
		}
	}
	return nil
}

// reserved returns the fields of a StorageCluster that other options set.
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

// Showing returns the options of a run that shows the disks before it takes them.
func (v Validated) Showing(c Consent) Validated {
	v.consent = c
	return v
}

// common is the state that all prerequisites of storage share.
type common struct {
	o    Validated
	pins olm.Pins
}

// operator returns the installer of an operator, with its pins.
func (s common) operator(row olm.Operator) olm.Installer {
	return olm.NewInstaller(row.Pinned(s.pins))
}

// Planned returns the settings of the StorageCluster and of the LVMCluster.
func (v Validated) Planned(pins olm.Pins) []prereq.Planned {
	s := common{v, pins}
	return []prereq.Planned{
		{Settings: v.DataFoundationSpec, Kind: kube.StorageCluster, Version: s.operator(olm.DataFoundation()).Foreseen},
		{Settings: v.LVMSpec, Kind: kube.LVMCluster, Version: s.operator(olm.LVMStorage()).Foreseen},
	}
}

// none returns the finding Skipped if the mode is ModeNone, else nil.
func (s common) none() *step.Finding {
	if s.o.Mode != ModeNone {
		return nil
	}
	f := step.Finding{State: step.StateSkipped,
		Message: fmt.Sprintf("neither checked nor installed (%s none)", hint.Flag("storage"))}
	return &f
}

// listStorage returns the rights to list kinds of storage.
func listStorage(resources ...string) []access.Rule {
	rules := make([]access.Rule, 0, len(resources))
	for _, r := range resources {
		rules = append(rules, access.Rule{Verbs: "list", Resources: r, Why: "where volumes come from"})
	}
	return rules
}

// planRights returns the rights of common.plan.
func planRights() []access.Rule {
	return listStorage("storageclasses.storage.k8s.io", "storageclusters.ocs.openshift.io", "lvmclusters.lvm.topolvm.io")
}

// listSources returns the rights to list LocalVolumeSets and LocalVolumes.
func listSources() []access.Rule {
	return listStorage("localvolumesets.local.storage.openshift.io", "localvolumes.local.storage.openshift.io")
}

// listVolumes returns the rights to list the disks and what uses them.
func listVolumes() []access.Rule {
	return append(listSources(), listStorage("localvolumediscoveries.local.storage.openshift.io",
		"localvolumediscoveryresults.local.storage.openshift.io", "persistentvolumes")...)
}

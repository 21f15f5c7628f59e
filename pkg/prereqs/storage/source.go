package storage

import (
	"context"
	"fmt"
	"slices"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// storageSource is the origin of the StorageClasses that hosted clusters use.
type storageSource int

const (
	// sourceExisting means classes that exist or that others make: hcctl installs no storage.
	sourceExisting storageSource = iota
	// sourceDataFoundation means OpenShift Data Foundation, installed by hcctl if it does not exist.
	sourceDataFoundation
	// sourceLVM means LVM Storage, installed by hcctl if it does not exist.
	sourceLVM
	// sourceHostPath means the hostpath provisioner, set up by hcctl if it does not exist.
	sourceHostPath
)

// sourceChoice is a source with the reason for it and the object the reason is about.
type sourceChoice struct {
	source      storageSource
	why, object string
}

// storageFacts are the objects that a plan is based on.
type storageFacts struct {
	classes []storagev1.StorageClass
	// storageClusters and lvmClusters are empty if the kind is not registered.
	storageClusters, lvmClusters []unstructured.Unstructured
}

func (s common) facts(ctx context.Context, r kube.Reader) (storageFacts, *step.Finding) {
	var f storageFacts
	var err error
	if f.classes, err = storageClasses(ctx, r); err != nil {
		return f, unread(err, "StorageClasses")
	}
	if f.storageClusters, err = storageClusters(ctx, r); err != nil {
		return f, unread(err, "StorageClusters")
	}
	if f.lvmClusters, err = lvmClusters(ctx, r); err != nil {
		return f, unread(err, "LVMClusters")
	}
	return f, nil
}

func unread(err error, object string) *step.Finding {
	f := kube.Unknown(err).On("%s", object)
	return &f
}

// unneeded returns a finding if the plan uses another source than this step's, or if the plan cannot be made. Nil means
// that the step has work to do.
func (s common) unneeded(ctx context.Context, r kube.Reader, own storageSource) *step.Finding {
	if f := s.none(); f != nil {
		return f
	}
	plan, f := s.plan(ctx, r)
	if f != nil {
		return f
	}
	if plan.source == own {
		return nil
	}
	ok := step.OK("not needed: %s", plan.why)
	ok.Object = plan.object
	return &ok
}

// plan chooses the source. It reads only the objects that the choice needs.
func (s common) plan(ctx context.Context, r kube.Reader) (sourceChoice, *step.Finding) {
	if s.o.mode() != ModeAuto {
		return planStorage(s.o.Options, storageFacts{}), nil
	}
	var f storageFacts
	var err error
	if f.classes, err = storageClasses(ctx, r); err != nil {
		return sourceChoice{}, unread(err, "StorageClasses")
	}
	if f.storageClusters, err = storageClusters(ctx, r); err != nil {
		return sourceChoice{}, unread(err, "StorageClusters")
	}
	if plan := planStorage(s.o.Options, f); s.o.DefaultClass == "" &&
		(plan.source == sourceExisting || len(f.storageClusters) > 0) {
		return plan, nil
	}
	if f.lvmClusters, err = lvmClusters(ctx, r); err != nil {
		return sourceChoice{}, unread(err, "LVMClusters")
	}
	return planStorage(s.o.Options, f), nil
}

// mode returns the requested mode, ModeAuto by default.
func (o Options) mode() Mode {
	if o.Mode == "" {
		return ModeAuto
	}
	return o.Mode
}

// planStorage chooses the source. Storage that exists, or is being made, is preferred to storage that would have to be
// installed.
func planStorage(o Options, f storageFacts) sourceChoice {
	switch o.mode() {
	case ModeExisting:
		return sourceChoice{sourceExisting, fmt.Sprintf("%s existing installs nothing", hint.Flag("storage")), ""}
	case ModeDataFoundation:
		return sourceChoice{sourceDataFoundation, fmt.Sprintf("%s odf", hint.Flag("storage")), ""}
	case ModeLVM:
		return sourceChoice{sourceLVM, fmt.Sprintf("%s lvms", hint.Flag("storage")), ""}
	case ModeHostPath:
		return sourceChoice{sourceHostPath, fmt.Sprintf("%s hostpath", hint.Flag("storage")), ""}
	case ModeAuto, ModeNone:
	}
	if o.DefaultClass != "" {
		return planFor(o.DefaultClass, f)
	}
	for _, class := range defaultsOf(f.classes) {
		if unusable(&class) == "" && !f.ofDataFoundation(class.Provisioner) {
			return sourceChoice{sourceExisting, fmt.Sprintf("default StorageClass %s is there", class.Name), "StorageClass " +
				class.Name}
		}
	}
	if len(f.storageClusters) > 0 {
		name := kube.Name(&f.storageClusters[0])
		return sourceChoice{sourceDataFoundation, "StorageCluster " + name + " is there", "StorageCluster " + name}
	}
	for i := range f.lvmClusters {
		if class := lvmDefaultClass(&f.lvmClusters[i]); class != "" {
			name := kube.Name(&f.lvmClusters[i])
			return sourceChoice{sourceLVM, fmt.Sprintf("LVMCluster %s makes the default StorageClass %s", name, class),
				"LVMCluster " + name}
		}
	}
	return sourceChoice{sourceDataFoundation, "OpenShift Data Foundation is to make the default StorageClass", ""}
}

// planFor returns the choice for a class that the user has named: the source that makes a class of this name.
func planFor(name string, f storageFacts) sourceChoice {
	choice := sourceChoice{sourceExisting, fmt.Sprintf("%s %s", hint.Flag("default-storage-class"), name),
		"StorageClass " + name}
	i := slices.IndexFunc(f.classes, func(c storagev1.StorageClass) bool { return c.Name == name })
	switch {
	case i >= 0 && f.ofDataFoundation(f.classes[i].Provisioner):
		choice.source = sourceDataFoundation
		return choice
	case i >= 0 && len(f.lvmClusters) == 0:
		return choice
	}
	for c := range f.lvmClusters {
		if slices.Contains(lvmClasses(&f.lvmClusters[c]), name) {
			choice.source = sourceLVM
			return choice
		}
	}
	if i < 0 && slices.Contains(f.dataFoundationClasses(), name) {
		choice.source = sourceDataFoundation
	}
	return choice
}

// ofDataFoundation reports whether a provisioner is a driver of an existing StorageCluster. These drivers are named
// after its namespace; Ceph installed by Rook alone has drivers with the same suffixes.
func (f storageFacts) ofDataFoundation(provisioner string) bool {
	return slices.ContainsFunc(f.storageClusters,
		func(sc unstructured.Unstructured) bool { return cephDriver(provisioner, sc.GetNamespace()) })
}

// dataFoundationClasses returns the names of the classes that the StorageClusters make, or that the one of hcctl would
// make.
func (f storageFacts) dataFoundationClasses() []string {
	if len(f.storageClusters) == 0 {
		planned := kube.StorageCluster.New()
		planned.SetName(storageClusterName)
		return clusterClasses(planned)
	}
	var names []string
	for i := range f.storageClusters {
		names = append(names, clusterClasses(&f.storageClusters[i])...)
	}
	return names
}

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

// storageSource is whose StorageClasses hosted clusters are to use.
type storageSource int

const (
	// sourceThere means classes that are there, or will come from elsewhere: hcctl installs no storage.
	sourceThere storageSource = iota
	// sourceDataFoundation means OpenShift Data Foundation, installed by hcctl where it is not there.
	sourceDataFoundation
	// sourceLVM means LVM Storage, installed by hcctl where it is not there.
	sourceLVM
	// sourceHostPath means the hostpath provisioner, set up by hcctl where it is not there.
	sourceHostPath
)

// sourceChoice is a source and why it was chosen, about which object.
type sourceChoice struct {
	source      storageSource
	why, object string
}

// storageFacts are what a plan rests on.
type storageFacts struct {
	classes []storagev1.StorageClass
	// storageClusters and lvmClusters are empty where the kind is not registered.
	storageClusters, lvmClusters []unstructured.Unstructured
}

// facts reads them.
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

// unneeded is the finding of a step that serves another source than the planned one, or that could not find out; nil
// means the step has its work to do.
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

// plan decides, and reads no more than that takes.
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
		(plan.source == sourceThere || len(f.storageClusters) > 0) {
		return plan, nil
	}
	if f.lvmClusters, err = lvmClusters(ctx, r); err != nil {
		return sourceChoice{}, unread(err, "LVMClusters")
	}
	return planStorage(s.o.Options, f), nil
}

// mode is what was asked for, ModeAuto if nothing was.
func (o Options) mode() Mode {
	if o.Mode == "" {
		return ModeAuto
	}
	return o.Mode
}

// planStorage decides. Storage that is there, or on its way, goes before storage that would have to be installed.
func planStorage(o Options, f storageFacts) sourceChoice {
	switch o.mode() {
	case ModeExisting:
		return sourceChoice{sourceThere, fmt.Sprintf("%s existing installs nothing", hint.Flag("storage")), ""}
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
			return sourceChoice{sourceThere, fmt.Sprintf("default StorageClass %s is there", class.Name), "StorageClass " +
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

// planFor is the plan where a user has named the class: whoever makes a class of that name is the source.
func planFor(name string, f storageFacts) sourceChoice {
	there := sourceChoice{sourceThere, fmt.Sprintf("%s %s", hint.Flag("default-storage-class"), name), "StorageClass " +
		name}
	i := slices.IndexFunc(f.classes, func(c storagev1.StorageClass) bool { return c.Name == name })
	switch {
	case i >= 0 && f.ofDataFoundation(f.classes[i].Provisioner):
		there.source = sourceDataFoundation
		return there
	case i >= 0 && len(f.lvmClusters) == 0:
		return there
	}
	for c := range f.lvmClusters {
		if slices.Contains(lvmClasses(&f.lvmClusters[c]), name) {
			there.source = sourceLVM
			return there
		}
	}
	if i < 0 && slices.Contains(f.dataFoundationClasses(), name) {
		there.source = sourceDataFoundation
	}
	return there
}

// ofDataFoundation reports whether a provisioner is a driver of a StorageCluster that is there: they are named after
// its namespace. Ceph by other means (Rook's own) has drivers of the same endings.
func (f storageFacts) ofDataFoundation(provisioner string) bool {
	return slices.ContainsFunc(f.storageClusters,
		func(sc unstructured.Unstructured) bool { return cephDriver(provisioner, sc.GetNamespace()) })
}

// dataFoundationClasses are the names of the classes StorageClusters make, of the one hcctl would create if there is
// none.
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

package storage

import (
	"context"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// VolumeProfile is the prerequisite of this file.
const VolumeProfile step.ID = "storage/volume-profile"

// volumeProfile checks that CDI knows the access modes of the class of the workers' disks. If it does not, their
// DataVolumes fail, because they name no access mode.
type volumeProfile struct{ common }

func (s volumeProfile) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: VolumeProfile, Title: "volumes for worker VMs", Needs: []step.ID{DefaultClass},
		After: []step.ID{prereq.HyperConverged},
		Check: s.check, Timeout: 5 * time.Minute,
		Rights: profileRights(),
	}
}

func (s volumeProfile) check(ctx context.Context, r kube.Reader) step.Finding {
	profile, f := s.diskProfile(ctx, r)
	if f != nil {
		return *f
	}
	return judgeProfile(profile)
}

// diskProfile reads the StorageProfile of the class of worker VMs' disks.
func (s common) diskProfile(ctx context.Context, r kube.Reader) (*unstructured.Unstructured, *step.Finding) {
	classes, f := s.classes(ctx, r)
	if f != nil {
		return nil, f
	}
	class := diskClass(classes)
	if class == nil {
		return nil, noClass()
	}
	profile := kube.StorageProfile.New()
	err := r.Get(ctx, types.NamespacedName{Name: class.Name}, profile)
	switch {
	case kube.IsKindMissing(err):
		return nil, prereq.NothingYet("OpenShift Virtualization is not there, which finds out what volumes class %s makes",
			class.Name)
	case apierrors.IsNotFound(err):
		f := step.Pending("the containerized data importer has not created it yet").On("StorageProfile %s", class.Name)
		return nil, &f
	case err != nil:
		return nil, unread(err, "StorageProfile "+class.Name)
	}
	return profile, nil
}

// noClass returns the finding of checks of the class in use if there is none yet.
func noClass() *step.Finding { return prereq.NothingYet("there is no default class yet") }

// volumeKind is one combination of access mode and volume mode that a class supports.
type volumeKind struct{ access, mode string }

func (k volumeKind) String() string { return k.access + " " + k.mode }

// volumeKinds returns the kinds of volumes in a StorageProfile.
func volumeKinds(profile *unstructured.Unstructured) []volumeKind {
	var kinds []volumeKind
	for _, set := range kube.Maps(profile, "status", "claimPropertySets") {
		modes, _, _ := unstructured.NestedStringSlice(set, "accessModes")
		for _, access := range modes {
			kinds = append(kinds, volumeKind{access, prereq.Text(set, "volumeMode")})
		}
	}
	return kinds
}

func judgeProfile(profile *unstructured.Unstructured) step.Finding {
	name := profile.GetName()
	if _, ok := profile.Object["status"]; !ok {
		return step.Pending("the containerized data importer has not filled it in yet").On("StorageProfile %s", name)
	}
	kinds := volumeKinds(profile)
	if len(kinds) == 0 {
		return step.Broken("it has no claimPropertySets: provisioner %s is not known to the containerized data importer, so "+
			"DataVolumes that name no access mode fail", kube.Text(profile, "status", "provisioner")).
			On("StorageProfile %s", name).
			WithHint(`say what the class makes, such as: oc patch storageprofile %s --type=merge -p '{"spec":{`+
				`"claimPropertySets":[{"accessModes":["ReadWriteMany"],"volumeMode":"Block"}]}}'`, name)
	}
	var names []string
	for _, k := range kinds {
		names = append(names, k.String())
	}
	return step.OK("%s", strings.Join(names, ", ")).On("StorageProfile %s", name)
}

// profileRights returns the rights of diskProfile.
func profileRights() prereq.Rights {
	return prereq.Rights{Check: append(listStorage("storageclasses.storage.k8s.io"),
		access.Rule{Verbs: "get", Resources: "storageprofiles.cdi.kubevirt.io",
			Why: "how the default class's volumes are cloned and shared; named as the class is"})}
}

// LiveMigration is the prerequisite of this file.
const LiveMigration step.ID = "storage/live-migration"

// liveMigration checks that worker VMs can be migrated live, which needs disks that several nodes can use.
type liveMigration struct{ common }

func (s liveMigration) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: LiveMigration, Title: "live migration of worker VMs", Severity: step.Advisory, Needs: []step.ID{VolumeProfile},
		Check:  s.check,
		Rights: profileRights(),
	}
}

func (s liveMigration) check(ctx context.Context, r kube.Reader) step.Finding {
	profile, f := s.diskProfile(ctx, r)
	if f != nil {
		return *f
	}
	return judgeMigration(profile)
}

func judgeMigration(profile *unstructured.Unstructured) step.Finding {
	object := "StorageProfile " + profile.GetName()
	kinds := volumeKinds(profile)
	switch {
	case slices.Contains(kinds, volumeKind{"ReadWriteMany", "Block"}):
		return step.OK("ReadWriteMany Block").On("%s", object)
	case slices.ContainsFunc(kinds, func(k volumeKind) bool { return k.access == "ReadWriteMany" }):
		return step.OK("ReadWriteMany, as files rather than block devices, which virtual machines' disks are slower on").
			On("%s", object)
	case len(kinds) == 0:
		return step.Pending("what volumes the class makes is not known").On("%s", object)
	}
	return step.Missing("no ReadWriteMany volumes: worker VMs cannot be migrated live and are shut down when their "+
		"node is drained; hosted clusters report KubeVirtNodesLiveMigratable False").On("%s", object).
		WithHint("give worker VMs a class that has them: oc annotate storageclass NAME %s=true", virtClassAnnotation)
}

package storage

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// LiveMigration is the prerequisite of this file.
const LiveMigration step.ID = "storage/live-migration"

// liveMigration checks that worker VMs can move between nodes while they run, which needs disks that several nodes can
// use.
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

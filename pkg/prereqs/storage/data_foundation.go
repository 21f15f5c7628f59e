package storage

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// The prerequisite of this file, and its removal.
const (
	DataFoundation       step.ID = "storage/data-foundation-operator"
	removeDataFoundation step.ID = "uninstall/data-foundation-operator"
)

// dataFoundation installs OpenShift Data Foundation. odf-operator installs the other operators (ocs, rook, noobaa, ...)
// by itself, and is ready once they have registered the kind StorageCluster.
type dataFoundation struct{ common }

func (s dataFoundation) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: DataFoundation, Title: "OpenShift Data Foundation operator", Needs: prereq.Gates(),
		Check: s.check, Apply: s.operator(olm.DataFoundation()).Apply, Timeout: olm.Timeout,
		Rights: prereq.Rights{
			Check:  append(planRights(), olm.CheckRights()...),
			Apply:  olm.ApplyRights(),
			Remove: olm.RemoveRights(olm.DataFoundation()),
		},
		Remove: []prereq.Removal{olm.NewRemoval(olm.DataFoundation(), kube.StorageCluster).
			Removal(removeDataFoundation, removeStorageCluster)},
	}
}

func (s dataFoundation) check(ctx context.Context, r kube.Reader) step.Finding {
	if f := s.unneeded(ctx, r, sourceDataFoundation); f != nil {
		return *f
	}
	f := s.operator(olm.DataFoundation()).Check(ctx, r)
	if f.State != step.StateOK {
		return olm.OrHealthy(ctx, r, f, kube.StorageCluster,
			func(all []unstructured.Unstructured) step.Finding { return judgeStorageClusters(all, r.Now()) })
	}
	err := r.List(ctx, kube.StorageCluster.NewList())
	switch {
	case kube.IsKindMissing(err):
		return step.Pending("%s; waiting for the ocs-operator it brings, and with it the kind StorageCluster", f.Message).
			On("%s", f.Object)
	case err != nil:
		return kube.Unknown(err).On("StorageClusters")
	}
	return f
}

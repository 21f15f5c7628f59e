package prereqs

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// dataFoundation: OpenShift Data Foundation. odf-operator brings the other operators (ocs, rook, noobaa, ...) by itself; it
// is of use once they have brought the kind StorageCluster.
type dataFoundation struct{ storage }

func (s dataFoundation) step() step.Step {
	return step.Step{
		ID: DataFoundation, Title: "OpenShift Data Foundation operator", Needs: gates(),
		Check: s.check, Apply: s.operator(dataFoundationRow()).apply, Timeout: operatorTimeout,
	}
}

func (s dataFoundation) check(ctx context.Context) step.Finding {
	if f := s.unneeded(ctx, sourceDataFoundation); f != nil {
		return *f
	}
	f := s.operator(dataFoundationRow()).check(ctx)
	if f.State != step.OK {
		return orHealthy(ctx, s.c, f, kube.StorageCluster, func(all []unstructured.Unstructured) step.Finding { return judgeStorageClusters(all, s.c.Now()) })
	}
	err := s.c.List(ctx, kube.StorageCluster.NewList())
	switch {
	case kube.IsKindMissing(err):
		return step.Waiting("%s; waiting for the ocs-operator it brings, and with it the kind StorageCluster", f.Message).On("%s", f.Object)
	case err != nil:
		return kube.Unread(err).On("StorageClusters")
	}
	return f
}

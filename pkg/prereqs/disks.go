package prereqs

import (
	"context"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
)

// Disks plans which of the nodes' disks bootstrap with these options takes. The error tells where the disks are not
// looked for yet.
func Disks(ctx context.Context, r kube.Reader, o Validated) (DiskPlan, error) {
	return storage.PlanDisks(ctx, r, o.Storage)
}

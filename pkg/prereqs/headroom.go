package prereqs

import (
	"context"
	"fmt"
	"math"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/cluster"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
)

// FreeRoom returns how many more hosted clusters of the default size fit on the management cluster, with a highly
// available control plane or a single replica. It counts like the checks of capacity and of free addresses.
func FreeRoom(ctx context.Context, r kube.Reader) (highlyAvailable, singleReplica int64, err error) {
	if highlyAvailable, singleReplica, err = cluster.Fits(ctx, r); err != nil {
		return 0, 0, err
	}
	addresses, err := loadbalancer.CountFreeAddresses(ctx, r)
	if err != nil {
		return 0, 0, fmt.Errorf("count the free addresses: %w", err)
	}
	// Without pools MetalLB does not assign the addresses.
	if addresses.All > 0 {
		free := int64(min(addresses.Free, math.MaxInt64))
		highlyAvailable, singleReplica = min(highlyAvailable, free), min(singleReplica, free)
	}
	return highlyAvailable, singleReplica, nil
}

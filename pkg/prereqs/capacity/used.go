package capacity

import (
	"context"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/fit"
)

// Used returns the requests of running and waiting pods by node, and the number of pods without a node.
func Used(ctx context.Context, r kube.Reader) (used map[string]Resources, unscheduled int, err error) {
	usage, err := fit.ReadUsage(ctx, r, "")
	if err != nil {
		return nil, 0, err
	}
	used = map[string]Resources{}
	for node, sum := range usage.Nodes {
		used[node] = from(sum)
	}
	return used, len(usage.Waiting), nil
}

package management

import (
	"context"

	"github.com/hcctl/hcctl/pkg/kube"
)

// Budget is a PodDisruptionBudget.
type Budget = kube.Budget

// Budgets lists the PodDisruptionBudgets of all namespaces.
func Budgets(ctx context.Context, c *kube.Client) List[Budget] {
	return Decoded[Budget](ctx, c, kube.PodDisruptionBudget)
}

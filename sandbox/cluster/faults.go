package cluster

import (
	"context"

	"github.com/hcctl/hcctl/sandbox/mishap"
	"github.com/hcctl/hcctl/sandbox/operator"
)

// goWrong puts the faults asked for into effect, once the cluster is what the profile says.
func (s *Sandbox) goWrong(ctx context.Context, env operator.Env) error {
	if len(env.Faults.Chosen()) == 0 {
		return nil
	}
	return s.timed("faults", func() error { return mishap.Bring(ctx, env, s.keep) })
}

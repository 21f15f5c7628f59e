package cluster

import (
	"github.com/hcctl/hcctl/sandbox/hypershift"
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators"
)

// simulated are the operators this sandbox plays itself.
func simulated() []operator.Operator {
	return append(operators.All(), hypershift.Operator())
}

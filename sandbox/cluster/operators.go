package cluster

import (
	"github.com/hcctl/hcctl/sandbox/hypershift"
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators"
)

// simulated are the operators this sandbox plays itself.
func simulated(opts Options) []operator.Operator {
	host := []hypershift.Option{hypershift.WithMaxGuests(opts.Guests)}
	if opts.Fleet || opts.Lean {
		host = append(host, hypershift.Lean())
	}
	return append(operators.All(), hypershift.Operator(host...))
}

package cluster

import (
	"github.com/hcctl/hcctl/sandbox/hypershift"
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators"
)

// simulatedOperators returns the operators that this sandbox simulates itself.
func simulatedOperators(opts Options) []operator.Operator {
	host := []hypershift.Option{hypershift.WithMaxGuests(opts.Guests)}
	if opts.Fleet || opts.Lean {
		host = append(host, hypershift.Lean())
	}
	return append(operators.All(), hypershift.Operator(host...))
}

package cluster

import (
	"github.com/hcctl/hcctl/sandbox/hypershift"
	"github.com/hcctl/hcctl/sandbox/hypershift/programs"
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators"
)

// simulatedOperators returns the operators that this sandbox simulates itself, and HyperShift in either form.
func simulatedOperators(opts Options) []operator.Operator {
	if opts.RealHyperShift {
		return append(operators.All(), programs.Operator())
	}
	host := []hypershift.Option{hypershift.WithMaxGuests(opts.Guests)}
	if opts.Fleet || opts.Lean {
		host = append(host, hypershift.Lean())
	}
	return append(operators.All(), hypershift.Operator(host...))
}

package cluster

import (
	"github.com/hcctl/hcctl/sandbox/hypershift"
	"github.com/hcctl/hcctl/sandbox/hypershift/programs"
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators"
)

// simulatedOperators returns the operators that the sandbox simulates itself, and HyperShift in either form.
func (s *Sandbox) simulatedOperators() []operator.Operator {
	opts := s.opts
	if opts.RealHyperShift {
		return append(operators.All(), programs.Operator(&s.registryAway))
	}
	host := []hypershift.Option{hypershift.WithMaxGuests(opts.Guests)}
	switch {
	case opts.Fleet:
		host = append(host, hypershift.Fleet())
	case opts.Lean:
		host = append(host, hypershift.Lean())
	}
	return append(operators.All(), hypershift.Operator(host...))
}

package kube

import "github.com/hcctl/hcctl/pkg/kube/plan"

// Planning returns a Client that changes nothing, and the Plan with the writes that it would have done. It sends writes
// as dry runs, so that defaults, validation and webhooks apply, and later reads return their results.
//
// foresee may be nil. It returns further objects that the cluster would create after a write; reads return them, too.
// Permission reviews are real requests, because they store nothing.
func (c *Client) Planning(foresee plan.Foresight) (*Client, *plan.Plan) {
	planning := *c
	planning.Client, planning.plan = plan.New(c.Client, foresee)
	return &planning, planning.plan
}

// IsPlanning reports whether the Client records its writes in a plan instead of doing them.
func (c *Client) IsPlanning() bool { return c.plan != nil }

package kube

import "github.com/hcctl/hcctl/pkg/kube/plan"

// Planning returns a Client that changes nothing, and the Plan of what it would have written. It sends its writes as
// dry runs, so that defaults, validation and webhooks apply, and shows the results to its later reads.
//
// foresee, if not nil, returns further objects that the cluster would make of a write; reads show them too. Permission
// reviews are real requests, because they store nothing.
func (c *Client) Planning(foresee plan.Foresight) (*Client, *plan.Plan) {
	planning := *c
	planning.Client, planning.plan = plan.New(c.Client, foresee)
	return &planning, planning.plan
}

// IsPlanning reports whether the Client changes nothing and records what it would have written.
func (c *Client) IsPlanning() bool { return c.plan != nil }

package kube

import "github.com/hcctl/hcctl/pkg/kube/plan"

// Planning returns a Client that changes nothing, and the Plan of what it would have written. Its writes go to the API
// server as dry runs, so that defaults, validation and webhooks have their say; they are recorded, and laid over its
// later reads.
//
// foresee, if not nil, is asked after each write; what it tells of is laid over reads too, but is no write.
//
// Reviews of permissions are asked in earnest: they store nothing.
func (c *Client) Planning(foresee plan.Foresight) (*Client, *plan.Plan) {
	planning := *c
	planning.Client, planning.plan = plan.New(c.Client, foresee)
	return &planning, planning.plan
}

package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/audit"
)

// judge compares what everybody was refused, and what nobody with the same purpose needed, with the audit log. Nothing
// may be refused unless optional allows it, and each right of each role must be used unless spared says that another
// test shows it; it returns the users' requests.
func (st *stage) judge(optional func(*person, audit.Request) bool, spared func(*person, right) bool) []audit.Request {
	st.t.Helper()
	requests, err := st.log.Next()
	if err != nil {
		st.t.Fatal(err)
	}
	by := map[string][]audit.Request{}
	for _, p := range st.people {
		own := slices.DeleteFunc(slices.Clone(requests), func(r audit.Request) bool { return r.User != p.user() })
		if len(own) == 0 {
			st.t.Errorf("%s: the API server got no request", p.name)
		}
		refused := map[string]bool{}
		for _, r := range own {
			what := fmt.Sprintf("%s %s %s/%s", r.Verb, resourceOf(r), r.Namespace, r.Name)
			if r.Code == http.StatusForbidden && !optional(p, r) && !refused[what] {
				refused[what] = true
				st.t.Errorf("%s: refused: %s: %s", p.name, what, r.URI)
			}
		}
		by[p.purpose] = append(by[p.purpose], own...)
	}
	for _, p := range st.people {
		for _, right := range rightsOf(p.rules) {
			// An admission policy asks the authorizer for it, which is no request.
			if right.verb != "limit-to" && !right.usedIn(by[p.purpose]) && !spared(p, right) && !right.waits(by[p.purpose]) {
				st.t.Errorf("%s: no request needed the right to %s %s", p.name, right, right.namespace)
			}
		}
	}
	return slices.Concat(slices.Collect(maps.Values(by))...)
}

// waits reports whether the right is a watch of something that the user has listed. Whether hcctl must wait depends on
// timing, but it only watches what it has listed.
func (r right) waits(requests []audit.Request) bool {
	read := func(verb string) bool { return right{verb, r.resource, r.name, r.namespace}.usedIn(requests) }
	return r.verb == "watch" && (read("get") || read("list")) || r.verb == "list" && read("get")
}

func (r right) usedIn(requests []audit.Request) bool { return slices.ContainsFunc(requests, r.uses) }

// right is one verb on one resource: of one object or (empty name) of all, in one namespace or (empty) in all.
type right struct{ verb, resource, name, namespace string }

func (r right) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", r.verb, r.resource, r.name))
}

func rightsOf(rules []rule) []right {
	var out []right
	for _, r := range rules {
		names := r.ResourceNames
		if len(names) == 0 {
			names = []string{""}
		}
		for _, group := range r.APIGroups {
			for _, resource := range r.Resources {
				if group != "" {
					resource += "." + group
				}
				for _, verb := range r.Verbs {
					for _, name := range names {
						out = append(out, right{verb, resource, name, r.namespace})
					}
				}
			}
		}
	}
	return out
}

// uses reports whether a request needed the right and had it. A patch that creates its object also needs create.
func (r right) uses(q audit.Request) bool {
	created := q.Verb == "patch" && r.verb == "create" && q.Code == http.StatusCreated
	return q.Code != http.StatusForbidden && (q.Verb == r.verb || created) &&
		(r.resource == "*.*" || r.resource == resourceOf(q)) &&
		(r.name == "" || r.name == q.Name) &&
		(r.namespace == "" || r.namespace == q.Namespace)
}

// resourceOf is what a request was about, as "deployments.apps" or "pods/log".
func resourceOf(q audit.Request) string {
	resource := q.Resource
	if q.Subresource != "" {
		resource += "/" + q.Subresource
	}
	if q.Group != "" {
		resource += "." + q.Group
	}
	return resource
}

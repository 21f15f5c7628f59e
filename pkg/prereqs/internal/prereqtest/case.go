package prereqtest

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

// Case is a cluster, and what a prerequisite or a step of its removal says of it or does to it.
type Case struct {
	// Objects are YAML documents.
	Objects []string
	// Kinds of operators that are registered without any object.
	Kinds []kube.Kind
	// Answers are what paths answer that are no objects', such as "/version".
	Answers map[string]string
	// Refused are resources and the status that they fail with, see API.Refuse.
	Refused map[string]int
	// Of are the prerequisites where they are not those of the whole table.
	Of []prereq.Prerequisite
	// ID is a prerequisite or a step of the removal.
	ID step.ID

	// State and Says are what Check has to find. Apply runs instead if there is Change or Fails.
	State step.State
	Says  []string
	// Trouble and Recheck are what the finding has to be marked with, if they are set, Recheck within some seconds.
	Trouble bool
	Recheck time.Duration
	// Wanted is set to run the check of the preflight for this hosted cluster in place of Check.
	Wanted *prereq.Wanted

	// Change is what Apply has to return, and Fails words of its error.
	Change step.Change
	Fails  string
	// Writes are the requests of Apply, such as "patch nodes w1". Sends are parts of what they send.
	Writes, Sends []string
}

// Forbidden refuses requests for a resource for lack of permission.
func Forbidden(resource string) map[string]int { return map[string]int{resource: http.StatusForbidden} }

// Run runs the cases on a cluster each.
func Run(t *testing.T, of []prereq.Prerequisite, cases map[string]Case) {
	t.Helper()
	for name, c := range cases {
		if c.Of == nil {
			c.Of = of
		}
		t.Run(name, func(t *testing.T) {
			if slices.Contains(slices.Collect(maps.Values(c.Refused)), http.StatusInternalServerError) {
				// The client repeats the request for some seconds, here of virtual time.
				synctest.Test(t, c.run)
				return
			}
			c.run(t)
		})
	}
}

func (c *Case) run(t *testing.T) {
	api := Serve(t)
	api.Register(t, c.Kinds...)
	api.Put(t, c.Objects...)
	for path, body := range c.Answers {
		api.Path(path, body)
	}
	for resource, code := range c.Refused {
		api.Refuse(resource, code)
	}
	all := c.Of
	switch {
	case c.Change != "" || c.Fails != "":
		change, err := Apply(t, api.Client, all, c.ID)
		c.expectApplied(t, api, change, err)
	case c.Wanted != nil:
		c.expectFound(t, Preflight(t, api.Client, all, c.ID, *c.Wanted))
	default:
		c.expectFound(t, Check(t, api.Client, all, c.ID))
	}
}

func (c *Case) expectFound(t *testing.T, f step.Finding) {
	t.Helper()
	steptest.Expect(t, f, c.State, c.Says...)
	if c.Trouble && !f.Trouble {
		t.Errorf("%+v is not marked as trouble", f)
	}
	if c.Recheck != 0 && (f.Recheck-c.Recheck).Abs() > 3*time.Second {
		t.Errorf("it is checked again after %s, want %s", f.Recheck, c.Recheck)
	}
}

func (c *Case) expectApplied(t *testing.T, api *API, change step.Change, err error) {
	t.Helper()
	if (err == nil) != (c.Fails == "") || err != nil && !strings.Contains(err.Error(), c.Fails) {
		t.Errorf("error %v, want %q", err, c.Fails)
	}
	if c.Fails == "" && change != c.Change {
		t.Errorf("change %q, want %q", change, c.Change)
	}
	var writes []string
	sent := ""
	for _, w := range api.Writes() {
		writes = append(writes, w.String())
		sent += w.Body + "\n"
	}
	if got, want := strings.Join(writes, "\n"), strings.Join(c.Writes, "\n"); got != want {
		t.Errorf("writes\n%s\nwant\n%s", got, want)
	}
	for _, s := range c.Sends {
		if !strings.Contains(sent, s) {
			t.Errorf("sent\n%swant %s", sent, s)
		}
	}
}

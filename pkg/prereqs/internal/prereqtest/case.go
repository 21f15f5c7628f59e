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

// Case is a cluster with the expected result of a check or Apply on it.
type Case struct {
	// Objects are YAML documents.
	Objects []string
	// Kinds are registered without any object.
	Kinds []kube.Kind
	// Answers maps paths that are not objects, such as "/version", to responses.
	Answers map[string]string
	// Refused maps resources to the HTTP status with which requests fail, see API.Refuse.
	Refused map[string]int
	// Of are the prerequisites, if they differ from those of the table.
	Of []prereq.Prerequisite
	// ID is a prerequisite or a step of the removal.
	ID step.ID

	// State and Says are the expected finding of Check. Apply runs instead if Change or Fails is set.
	State step.State
	Says  []string
	// Trouble and Recheck are expected of the finding if set, Recheck within some seconds.
	Trouble bool
	Recheck time.Duration
	// Wanted runs the preflight check for this hosted cluster instead of Check.
	Wanted *prereq.Wanted

	// Change is the expected result of Apply. Fails is a part of its expected error.
	Change step.Change
	Fails  string
	// Writes are the expected requests of Apply, such as "patch nodes w1". Sends are parts of their bodies.
	Writes, Sends []string
}

// Forbidden refuses requests for a resource with status 403.
func Forbidden(resource string) map[string]int { return map[string]int{resource: http.StatusForbidden} }

// Run runs each case on a cluster of its own.
func Run(t *testing.T, of []prereq.Prerequisite, cases map[string]Case) {
	t.Helper()
	for name, c := range cases {
		if c.Of == nil {
			c.Of = of
		}
		t.Run(name, func(t *testing.T) {
			if slices.Contains(slices.Collect(maps.Values(c.Refused)), http.StatusInternalServerError) {
				// The client retries for some seconds, here in virtual time.
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

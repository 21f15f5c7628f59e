package e2e

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/internal/golden"
)

// exception is what roles allow of the attempts, with the reason.
type exception struct {
	// Purposes and Variants are the roles it holds for; no variant is any.
	Purposes, Variants []string
	// Attempts are beginnings of lines, or titles of groups.
	Attempts []string
	Reason   string
}

func (e exception) holds(t *tried, a listed) bool {
	return slices.Contains(e.Purposes, t.purpose) && (len(e.Variants) == 0 || slices.Contains(e.Variants, t.variant)) &&
		slices.ContainsFunc(e.Attempts, func(text string) bool { return a.group == text || strings.HasPrefix(a.text, text) })
}

// listed is an attempt of the list, with its line and the title of its group.
type listed struct {
	attempt
	group, text string
}

// tried is a user with a printed role, and what it was seen to be able to do.
type tried struct {
	purpose, variant string
	person           *person
	// admin is set for a role that says itself that it amounts to cluster-admin, for all namespaces.
	admin bool
	// allowed are the numbers of attempts.
	allowed []int
}

const (
	named      = "named"
	namespaced = "namespace"
	everywhere = "everywhere"
	// policyTime is how long an API server may take to enforce a new admission policy.
	policyTime = 30 * time.Second
)

// purposesCommand: purposes ATTEMPTS EXCEPTIONS --namespace NAMESPACE --cluster-name NAME
//
// makes users for each purpose of hcctl rbac: named (with these flags), of the namespace alone, and for all namespaces.
// Each makes every attempt, which has to be refused unless an exception names it; an exception that nothing needs is an
// error, too. A role for all namespaces that says that it amounts to cluster-admin is believed. docs/rbac.md has what
// was seen.
func purposesCommand(ts *testscript.TestScript, neg bool, args []string) {
	h := harnessOf(ts)
	if neg || len(args) != 6 || h.stage == nil {
		ts.Fatalf("usage: purposes ATTEMPTS EXCEPTIONS --namespace NAMESPACE --cluster-name NAME")
	}
	attempts, err := listedFrom(ts.ReadFile(args[0]))
	ts.Check(err)
	var exceptions []exception
	ts.Check(yaml.UnmarshalStrict([]byte(ts.ReadFile(args[1])), &exceptions))
	everybody, err := h.stage.everyPurpose(args[2:])
	ts.Check(err)
	begin := time.Now()
	enforced, cancel := context.WithTimeout(context.Background(), policyTime)
	defer cancel()
	wrong := nobodyElseMay(ts, attempts)
	for _, t := range everybody {
		if !t.admin {
			wrong = append(wrong, t.try(enforced, ts, attempts, exceptions)...)
		}
	}
	for _, e := range exceptions {
		for _, text := range e.Attempts {
			if !slices.ContainsFunc(everybody, func(t *tried) bool {
				return slices.ContainsFunc(t.allowed, func(i int) bool {
					return exception{e.Purposes, e.Variants, []string{text}, ""}.holds(t, attempts[i])
				})
			}) {
				wrong = append(wrong, fmt.Sprintf("no role needs the exception of %v %v for %q", e.Purposes, e.Variants, text))
			}
		}
	}
	ts.Logf("%d users made %d attempts each in %s", len(everybody), len(attempts), time.Since(begin).Round(time.Second))
	if len(wrong) > 0 {
		ts.Fatalf("%s", strings.Join(wrong, "\n"))
	}
	golden.Section(h.stage.t, filepath.Join("..", "docs", "rbac.md"), "<!-- tried: UPDATE=1 go test ./e2e -run "+
		"TestHostile/purposes -->\n", "<!-- end of tried -->", triedPage(everybody, attempts, exceptions))
}

// listedFrom reads titles ("Title:") and attempts below them ("- METHOD PATH ...").
func listedFrom(text string) ([]listed, error) {
	var out []listed
	group := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		request, is := strings.CutPrefix(line, "- ")
		switch {
		case line == "":
		case !is:
			group = strings.TrimSuffix(line, ":")
		default:
			a, err := attemptFrom(strings.Fields(request))
			if err != nil {
				return nil, err
			}
			out = append(out, listed{a, group, request})
		}
	}
	return out, nil
}

// everyPurpose makes the users.
func (st *stage) everyPurpose(flags []string) ([]*tried, error) {
	// The tenant's role brings the namespaces of others' roles.
	list, err := (&person{stage: st}).printRoles("rbac")
	if err != nil {
		return nil, err
	}
	var purposes []string
	for line := range strings.Lines(string(list)) {
		words := strings.Fields(line)
		if len(words) == 0 {
			break
		}
		purposes = append(purposes, words[0])
	}
	listedPurposes := slices.Clone(purposes)
	purposes = append([]string{"tenant"}, slices.DeleteFunc(purposes[1:], func(p string) bool { return p == "tenant" })...)
	var out []*tried
	for _, purpose := range purposes {
		for _, v := range []struct {
			name string
			args []string
		}{{named, flags}, {namespaced, flags[:2]}, {everywhere, []string{"--all-namespaces"}}} {
			args := v.args
			if purpose == "tenant" && v.name == named {
				args = append(slices.Clone(args), "--cluster-set", "dev")
			}
			if purpose == "infra" && v.name != everywhere { // its namespace has worker VMs and no HostedClusters
				args = append([]string{"--namespace", "purposes-guests"}, args[2:]...)
			}
			t := &tried{purpose: purpose, variant: v.name}
			if t.person, err = st.newPerson("pu-"+purpose+"-"+v.name, purpose, args...); err != nil {
				if v.name == namespaced && strings.Contains(err.Error(), "without --cluster-name reaches the Secrets") {
					continue // there is no such role
				}
				return nil, err
			}
			t.admin = v.name == everywhere && strings.Contains(t.person.warned, "amounts to cluster-admin")
			out = append(out, t)
		}
	}
	slices.SortStableFunc(out, func(a, b *tried) int {
		return slices.Index(listedPurposes, a.purpose) - slices.Index(listedPurposes, b.purpose)
	})
	return out, nil
}

// nobodyElseMay makes every attempt as the administrator, for whom there has to be something to do: what nobody could
// do shows nothing.
func nobodyElseMay(ts *testscript.TestScript, attempts []listed) []string {
	var wrong []string
	by := newRequester(ts, ts.Getenv("ADMIN"))
	for _, a := range attempts {
		if code, said := by.make(a.attempt); code == http.StatusForbidden || code == http.StatusNotFound ||
			code == http.StatusUnauthorized {
			wrong = append(wrong, fmt.Sprintf("%s: the administrator gets %d: %.300s", a.text, code, said))
		}
	}
	return wrong
}

// try makes the attempts, asks the authorizer about those that succeed, and returns what is not as it should be. The
// context ends when policies have to be enforced.
func (t *tried) try(enforced context.Context, ts *testscript.TestScript, attempts []listed, exceptions []exception) []string {
	by := newRequester(ts, t.person.kubeconfig)
	codes := make([]int, len(attempts))
	var wrong []string
	var lock sync.Mutex
	var running sync.WaitGroup
	slots := make(chan struct{}, 8)
	for i, a := range attempts {
		running.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			expected := slices.ContainsFunc(exceptions, func(e exception) bool { return e.holds(t, a) })
			code, said := by.make(a.attempt)
			if code != http.StatusForbidden && !expected && t.person.policed {
				_ = wait.PollUntilContextCancel(enforced, 200*time.Millisecond, true, func(context.Context) (bool, error) {
					code, said = by.make(a.attempt)
					return code == http.StatusForbidden, nil
				})
			}
			review, asked := true, false
			if code != http.StatusForbidden {
				review, asked = by.review(a.attempt)
			}
			lock.Lock()
			defer lock.Unlock()
			codes[i] = code
			if code != http.StatusForbidden && !expected {
				wrong = append(wrong, fmt.Sprintf("%s (%s) may %s: %d: %.400s", t.purpose, t.variant, a.text, code, said))
			}
			if asked && !review {
				wrong = append(wrong, fmt.Sprintf("%s (%s): the authorizer refuses %s, the API server does not: %d", t.purpose,
					t.variant, a.text, code))
			}
		})
	}
	running.Wait()
	for i, code := range codes {
		if code != http.StatusForbidden {
			t.allowed = append(t.allowed, i)
		}
	}
	return wrong
}

// triedPage is what was seen, as a table. Roles of one purpose that can the same have one row.
func triedPage(everybody []*tried, attempts []listed, exceptions []exception) string {
	var b strings.Builder
	b.WriteString("| tried | requests |\n| --- | --- |\n")
	count := map[string]int{}
	for _, a := range attempts {
		count[a.group]++
	}
	for _, a := range attempts {
		if n := count[a.group]; n > 0 {
			fmt.Fprintf(&b, "| %s | %d |\n", a.group, n)
			count[a.group] = 0
		}
	}
	b.WriteString("\n| purpose | limited by | refused | and can |\n| --- | --- | --- | --- |\n")
	type seen struct{ purpose, limits, result string }
	var rows []seen
	limits := map[string]string{named: "namespace and name", namespaced: "namespace", everywhere: "nothing (`-A`)"}
	for _, t := range everybody {
		row := seen{t.purpose, limits[t.variant], " | amounts to cluster-admin, and a warning says so"}
		if all := len(attempts); !t.admin {
			row.result = fmt.Sprintf("%d of %d | %s", all-len(t.allowed), all, t.can(attempts, exceptions))
		}
		last := len(rows) - 1
		if last >= 0 && rows[last].purpose == row.purpose && rows[last].result == row.result {
			rows[last].limits += ", " + row.limits
			continue
		}
		rows = append(rows, row)
	}
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", row.purpose, row.limits, row.result)
	}
	return b.String()
}

// can is what was allowed: how many attempts of which groups, and the reason.
func (t *tried) can(attempts []listed, exceptions []exception) string {
	var reasons []string
	of := map[string][]string{}
	for _, e := range exceptions {
		groups := map[string]int{}
		var order []string
		for _, i := range t.allowed {
			if group := attempts[i].group; e.holds(t, attempts[i]) {
				if groups[group]++; groups[group] == 1 {
					order = append(order, group)
				}
			}
		}
		for i, group := range order {
			if i == 0 && !slices.Contains(reasons, e.Reason) {
				reasons = append(reasons, e.Reason)
			}
			of[e.Reason] = append(of[e.Reason], fmt.Sprintf("%d of %q", groups[group], group))
		}
	}
	var out []string
	for _, reason := range reasons {
		out = append(out, strings.Join(of[reason], ", ")+": "+reason)
	}
	return strings.Join(out, "<br>")
}

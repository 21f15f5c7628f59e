package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// attempt is a request that somebody must not be able to make.
type attempt struct {
	// who are variables with paths of kubeconfigs.
	who                  []string
	method, path, as, in string
}

// refusedCommand: refused [within DURATION] FILE [PERSON]...
//
// makes each request of the file, a line each: PERSON[,PERSON]... METHOD PATH [as=USER] [BODY]. The API server has to
// refuse it to that person (403), and must do for the administrator whatever there is to do: an attempt that nobody
// could make shows nothing. * stands for the persons named after the file. Nothing is written: requests are dry runs.
// Within a duration it may take until it is refused.
func refusedCommand(ts *testscript.TestScript, neg bool, args []string) {
	var within time.Duration
	if len(args) > 2 && args[0] == "within" {
		d, err := time.ParseDuration(args[1])
		ts.Check(err)
		within, args = d, args[2:]
	}
	if neg || len(args) < 1 {
		ts.Fatalf("usage: refused [within DURATION] FILE [PERSON]...")
	}
	attempts, err := attemptsFrom(ts.ReadFile(args[0]), args[1:])
	ts.Check(err)
	var wrong []string
	for _, a := range attempts {
		if code, said := a.by(ts, "ADMIN"); code == http.StatusForbidden || code == http.StatusNotFound ||
			code == http.StatusUnauthorized {
			wrong = append(wrong, fmt.Sprintf("%s %s: the administrator gets %d: %.300s", a.method, a.path, code, said))
		}
		for _, person := range a.who {
			var code int
			var said string
			ctx, cancel := context.WithTimeout(context.Background(), max(within, requestTime))
			_ = wait.PollUntilContextCancel(ctx, 200*time.Millisecond, true, func(context.Context) (bool, error) {
				code, said = a.by(ts, person)
				return code == http.StatusForbidden || within == 0, nil
			})
			cancel()
			if code != http.StatusForbidden {
				wrong = append(wrong, fmt.Sprintf("%s may %s %s %s: %d: %.300s", person, a.method, a.path, a.as, code, said))
			}
		}
	}
	if len(wrong) > 0 {
		ts.Fatalf("%s", strings.Join(wrong, "\n"))
	}
}

func attemptsFrom(text string, everybody []string) ([]attempt, error) {
	var out []attempt
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		a, err := attemptFrom(words[1:])
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		a.who = strings.Split(words[0], ",")
		if i := slices.Index(a.who, "*"); i >= 0 {
			a.who = slices.Replace(a.who, i, i+1, everybody...)
		}
		out = append(out, a)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no attempts")
	}
	return out, nil
}

// attemptFrom reads METHOD PATH [as=USER] [BODY], or ASK VERB RESOURCE [NAME] for what only the authorizer is asked.
func attemptFrom(words []string) (attempt, error) {
	if len(words) < 2 {
		return attempt{}, errors.New("want METHOD PATH [as=USER] [BODY]")
	}
	a := attempt{method: words[0], path: words[1]}
	rest := words[2:]
	if len(rest) > 0 && strings.HasPrefix(rest[0], "as=") {
		a.as, rest = strings.TrimPrefix(rest[0], "as="), rest[1:]
	}
	a.in = strings.Join(rest, " ")
	return a, nil
}

// by makes the request with the kubeconfig in a variable, and returns the status and the answer.
func (a attempt) by(ts *testscript.TestScript, variable string) (int, string) {
	path := ts.Getenv(variable)
	if path == "" {
		ts.Fatalf("nobody is called %s", variable)
	}
	return newRequester(ts, path).make(a)
}

// requester makes requests as the user of a kubeconfig.
type requester struct {
	client *http.Client
	host   string
}

func newRequester(ts *testscript.TestScript, kubeconfig string) requester {
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	ts.Check(err)
	client, err := rest.HTTPClientFor(cfg)
	ts.Check(err)
	return requester{client, strings.TrimSuffix(cfg.Host, "/")}
}

// make makes the attempt, and returns the status and the answer; 0 with the error of a request that got none.
func (r requester) make(a attempt) (int, string) {
	if a.method == ask {
		if allowed, _ := r.review(a); allowed {
			return http.StatusOK, ""
		}
		return http.StatusForbidden, ""
	}
	url := a.path
	connects := slices.Contains([]string{"exec", "attach", "portforward"}, a.attributes()["subresource"])
	if a.method != http.MethodGet && !connects {
		url += map[bool]string{true: "&", false: "?"}[strings.Contains(url, "?")] + "dryRun=All"
	}
	if a.method == apply {
		url += "&fieldManager=mine&force=true"
	}
	return r.send(a, url)
}

func (r requester) send(a attempt, path string) (int, string) {
	ctx, cancel := requestContext()
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, a.method, r.host+path, bytes.NewBufferString(a.in))
	if err != nil {
		return 0, err.Error()
	}
	request.Header.Set("Content-Type", "application/json")
	if a.method == apply {
		request.Method = http.MethodPatch
		request.Header.Set("Content-Type", "application/apply-patch+yaml")
	}
	if a.method == http.MethodPatch {
		request.Header.Set("Content-Type", "application/merge-patch+json")
	}
	if a.as != "" {
		request.Header.Set("Impersonate-User", a.as)
		request.Header.Set("Impersonate-Group", "system:masters")
	}
	answer, err := r.client.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = answer.Body.Close() }()
	said, err := io.ReadAll(io.LimitReader(answer.Body, 4096))
	if err != nil {
		return 0, err.Error()
	}
	return answer.StatusCode, string(said)
}

// apply is the method of server-side apply, which creates an object by its name.
const apply = "APPLY"

// ask is the method of attempts that are no requests: webhooks ask the authorizer about them.
const ask = "ASK"

// review asks the authorizer about an attempt; asked is false for one in somebody else's name.
func (r requester) review(a attempt) (allowed, asked bool) {
	if a.as != "" {
		return false, false
	}
	attributes, err := json.Marshal(a.attributes())
	if err != nil {
		return false, false
	}
	code, said := r.send(attempt{method: http.MethodPost, in: `{"apiVersion":"authorization.k8s.io/v1","kind":` +
		`"SelfSubjectAccessReview","spec":{"resourceAttributes":` + string(attributes) + `}}`},
		"/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")
	var answer struct{ Status struct{ Allowed bool } }
	if err := json.Unmarshal([]byte(said), &answer); err != nil || code != http.StatusCreated {
		return true, true // the request itself shows the rest
	}
	return answer.Status.Allowed, true
}

// attributes are what the authorizer is asked for the request.
func (a attempt) attributes() map[string]string {
	out := map[string]string{}
	if a.method == ask {
		words := strings.Fields(a.in)
		resource, group, _ := strings.Cut(words[0], ".")
		resource, sub, _ := strings.Cut(resource, "/")
		out["verb"], out["group"], out["resource"], out["subresource"] = a.path, group, resource, sub
		if len(words) > 1 {
			out["name"] = words[1]
			if namespace, name, has := strings.Cut(words[1], "/"); has && sub != "" && resource != "signers" {
				out["namespace"], out["name"] = namespace, name
			}
		}
		return out
	}
	path, query, _ := strings.Cut(a.path, "?")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if parts[0] == "apis" {
		out["group"], parts = parts[1], parts[1:]
	}
	out["version"], parts = parts[1], parts[2:]
	if parts[0] == "namespaces" && len(parts) > 1 {
		out["namespace"] = parts[1]
		if len(parts) > 2 && parts[2] != "finalize" {
			parts = parts[2:]
		}
	}
	out["resource"] = parts[0]
	if len(parts) > 1 {
		out["name"] = parts[1]
	}
	if len(parts) > 2 {
		out["subresource"] = parts[2]
	}
	of := map[string]string{http.MethodGet: "get", http.MethodPost: "create", http.MethodPut: "update",
		http.MethodPatch: "patch", apply: "patch", http.MethodDelete: "delete"}
	out["verb"] = of[a.method]
	_, name, byName := strings.Cut(query, "metadata.name=")
	switch {
	case out["name"] != "":
	case a.method == http.MethodGet:
		out["verb"] = "list"
		if byName {
			out["name"] = name
		}
	case a.method == http.MethodDelete:
		out["verb"] = "deletecollection"
	}
	return out
}

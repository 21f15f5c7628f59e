package e2e

import (
	"bytes"
	"context"
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
		if len(words) < 3 {
			return nil, fmt.Errorf("%q: want PERSON METHOD PATH [as=USER] [BODY]", line)
		}
		a := attempt{who: strings.Split(words[0], ","), method: words[1], path: words[2]}
		if i := slices.Index(a.who, "*"); i >= 0 {
			a.who = slices.Replace(a.who, i, i+1, everybody...)
		}
		rest := words[3:]
		if len(rest) > 0 && strings.HasPrefix(rest[0], "as=") {
			a.as, rest = strings.TrimPrefix(rest[0], "as="), rest[1:]
		}
		a.in = strings.Join(rest, " ")
		out = append(out, a)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no attempts")
	}
	return out, nil
}

// by makes the request with the kubeconfig in a variable, and returns the status and the answer.
func (a attempt) by(ts *testscript.TestScript, variable string) (int, string) {
	path := ts.Getenv(variable)
	if path == "" {
		ts.Fatalf("nobody is called %s", variable)
	}
	cfg, err := clientcmd.BuildConfigFromFlags("", path)
	ts.Check(err)
	client, err := rest.HTTPClientFor(cfg)
	ts.Check(err)
	ctx, cancel := requestContext()
	defer cancel()
	url := strings.TrimSuffix(cfg.Host, "/") + a.path
	if a.method != http.MethodGet {
		url += map[bool]string{true: "&", false: "?"}[strings.Contains(url, "?")] + "dryRun=All"
	}
	request, err := http.NewRequestWithContext(ctx, a.method, url, bytes.NewBufferString(a.in))
	ts.Check(err)
	request.Header.Set("Content-Type", "application/json")
	if a.method == http.MethodPatch {
		request.Header.Set("Content-Type", "application/merge-patch+json")
	}
	if a.as != "" {
		request.Header.Set("Impersonate-User", a.as)
		request.Header.Set("Impersonate-Group", "system:masters")
	}
	answer, err := client.Do(request)
	ts.Check(err)
	defer func() { _ = answer.Body.Close() }()
	said, err := io.ReadAll(io.LimitReader(answer.Body, 4096))
	ts.Check(err)
	return answer.StatusCode, string(said)
}

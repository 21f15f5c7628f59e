package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/hack/internal/measuring"
	"github.com/hcctl/hcctl/internal/sandbox"
)

// comparison is the state that the groups share: the programs, and the results so far.
type comparison struct {
	hcctl, hcp, kubectl, sandbox string
	// flags is a directory with an example of each flag of hcctl create cluster.
	flags    string
	runs     int
	speed    string
	patience time.Duration

	figures []figure
	facts   []fact
}

// family measures one group.
type family struct {
	group string
	run   func(*comparison, context.Context) error
}

func families() []family {
	return []family{
		{"start", (*comparison).start},
		{"render", (*comparison).render},
		{"create", (*comparison).createAndDelete},
		{"broken", (*comparison).broken},
		{"by hand", (*comparison).byHand},
	}
}

func groups() []string {
	var out []string
	for _, f := range families() {
		out = append(out, f.group)
	}
	return out
}

// testbed is a running sandbox that belongs to one group.
type testbed struct {
	*sandbox.Process
	config *rest.Config
	client dynamic.Interface
	dir    string
	// env connects programs to it and to nothing else: the proxy does not exist.
	env []string
}

// offline returns an environment that reaches only loopback.
func offline() []string {
	return []string{"HTTP_PROXY=http://127.0.0.1:9", "HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.0/8,localhost"}
}

// launch starts a sandbox of this profile. kubectl needs its OpenAPI documents.
func (c *comparison) launch(ctx context.Context, profile string) (*testbed, error) {
	dir, err := os.MkdirTemp("", "hcctl-comparison")
	if err != nil {
		return nil, err
	}
	starting, cancel := context.WithTimeout(ctx, 3*sandbox.StartTime)
	defer cancel()
	p, err := sandbox.Launch(starting, c.sandbox, dir, "--profile", profile, "--speed", c.speed, "--guests", "1",
		"--lean",
		"--audit", "--gc-percent", "200")
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	w := &testbed{Process: p, dir: dir, env: append(offline(), "KUBECONFIG="+p.Kubeconfig)}
	w.config, err = clientcmd.BuildConfigFromFlags("", p.Kubeconfig)
	if err == nil {
		w.config.QPS, w.config.UserAgent = -1, "comparison"
		w.client, err = dynamic.NewForConfig(w.config)
	}
	if err != nil {
		return nil, errors.Join(err, w.end())
	}
	return w, nil
}

func (w *testbed) end() error { return errors.Join(w.Stop(), os.RemoveAll(w.dir)) }

// file writes a file beside the sandbox and returns its path.
func (w *testbed) file(name, content string) (string, error) {
	path := filepath.Join(w.dir, name)
	return path, os.WriteFile(path, []byte(content), 0o600)
}

// figure is one measure of two programs.
type figure struct {
	Group string `json:"group"`
	What  string `json:"what"`
	Unit  string `json:"unit"`
	// Other names the program that hcctl is compared with.
	Other string `json:"other"`
	// Ours and Theirs are the values of hcctl's runs and of the other program's.
	Ours   []float64 `json:"ours"`
	Theirs []float64 `json:"theirs"`
}

// ratio returns hcctl's median divided by the other's.
func (f figure) ratio() float64 {
	return measuring.Median(f.Ours) / max(measuring.Median(f.Theirs), 1e-9)
}

// fact is a comparison without a number.
type fact struct {
	Group string `json:"group"`
	What  string `json:"what"`
	Other string `json:"other"`
	Ours  string `json:"ours"`
	// Theirs is the result of the other program.
	Theirs string `json:"theirs"`
}

// side is the program of a run.
type side bool

const (
	ours   side = true
	theirs side = false
)

// record stores one run's value.
func (c *comparison) record(group, what, unit, other string, of side, value float64) {
	at := -1
	for i, f := range c.figures {
		if f.Group == group && f.What == what && f.Other == other {
			at = i
		}
	}
	if at < 0 {
		at = len(c.figures)
		c.figures = append(c.figures, figure{Group: group, What: what, Unit: unit, Other: other})
	}
	if of == ours {
		c.figures[at].Ours = append(c.figures[at].Ours, value)
	} else {
		c.figures[at].Theirs = append(c.figures[at].Theirs, value)
	}
}

// alternate runs both programs this number of times in alternating order, because the speed of a machine drifts.
func alternate(runs int, run func(i int, of side) error) error {
	for i := range runs {
		first := side(i%2 == 1)
		for _, of := range []side{first, !first} {
			if err := run(i, of); err != nil {
				return err
			}
		}
	}
	return nil
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s" }

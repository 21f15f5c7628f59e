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

// comparison is what the groups share: the programs, and the results so far.
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

// world is a running sandbox that belongs to one group.
type world struct {
	*sandbox.Process
	config *rest.Config
	client dynamic.Interface
	dir    string
	// env connects programs to it, and to nothing else: the proxy does not exist.
	env []string
}

// offline is the environment in which nothing beyond loopback can be reached.
func offline() []string {
	return []string{"HTTP_PROXY=http://127.0.0.1:9", "HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.0/8,localhost"}
}

// launch starts a sandbox of this profile. kubectl needs its OpenAPI documents.
func (c *comparison) launch(ctx context.Context, profile string) (*world, error) {
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
	w := &world{Process: p, dir: dir, env: append(offline(), "KUBECONFIG="+p.Kubeconfig)}
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

func (w *world) end() error { return errors.Join(w.Stop(), os.RemoveAll(w.dir)) }

// file writes a file beside the sandbox and returns its path.
func (w *world) file(name, content string) (string, error) {
	path := filepath.Join(w.dir, name)
	return path, os.WriteFile(path, []byte(content), 0o600)
}

// figure has one measure of two programs.
type figure struct {
	Group string `json:"group"`
	What  string `json:"what"`
	Unit  string `json:"unit"`
	// Other is whom hcctl is compared with.
	Other string `json:"other"`
	// Ours and Theirs are the values of hcctl's and of the other's runs.
	Ours   []float64 `json:"ours"`
	Theirs []float64 `json:"theirs"`
}

// ratio is hcctl's median over the other's.
func (f figure) ratio() float64 {
	return measuring.Median(f.Ours) / max(measuring.Median(f.Theirs), 1e-9)
}

// fact is what has no number.
type fact struct {
	Group string `json:"group"`
	What  string `json:"what"`
	Other string `json:"other"`
	Ours  string `json:"ours"`
	// Theirs is what the other says or does.
	Theirs string `json:"theirs"`
}

// side says whose run a value is of.
type side bool

const (
	ours   side = true
	theirs side = false
)

// record keeps one run's value.
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

// inTurn runs both so often, and lets each be the first as often as the other: the speed of a machine drifts.
func inTurn(runs int, run func(i int, of side) error) error {
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

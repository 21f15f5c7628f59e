package status

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/report"
)

// Limits of the time between two reads of status --watch. A changed HostedCluster or NodePool causes a read
// after minPause; maxPause is needed because pods, VMs and the objects inside a hosted cluster are not watched.
const (
	minPause = time.Second
	maxPause = 10 * time.Second
)

// statusWatch shows a status repeatedly.
type statusWatch struct {
	a *cmdutil.Factory
	t *cmdutil.Target
	f *statusFlags
	// read reads the clusters; render writes the text for a user.
	read   func(context.Context) ([]*status.Report, error)
	render func(io.Writer, []*status.Report, report.Screen) error
	// document returns the JSON document of the clusters that changed and those that are gone.
	document func(all, changed []*status.Report, gone []string) any
	screen   report.Screen
	// board is nil if lines are written instead of a redrawn screen.
	board *report.Board
	rows  cmdutil.Table
	// last holds the last printed state of each cluster, by namespace and name.
	last map[string]string
}

// run shows changes until ctx ends, or until the cluster with this name is gone.
func (w *statusWatch) run(ctx context.Context, namespace, name string, selector labels.Selector) error {
	w.screen, w.last, w.rows = w.a.Streams.ScreenOut(), map[string]string{}, cmdutil.Table{W: w.a.Streams.Out}
	if w.f.output == "" && w.screen.Redraw {
		w.board = report.NewBoard(w.a.Streams.Out, w.screen)
		w.a.Notices.Show(w.board)
		defer w.a.Notices.Show(nil)
	}
	informers := w.t.NewInformers(ctx)
	defer informers.Close()
	watch := informers.Watch()
	defer watch.Close()
	changes := []*informer.Changes{
		w.t.Changes(watch, kube.Selection{Kind: status.HostedClusters().Kind, Namespace: namespace, Name: name,
			Labels: selector, Decoder: informer.NoValue}),
		w.t.Changes(watch, kube.Selection{Kind: status.NodePools().Kind, Namespace: namespace, Decoder: informer.NoValue}),
	}
	seen := false
	for ctx.Err() == nil {
		w.drain(ctx, changes)
		began := time.Now()
		err := w.once(ctx, seen)
		switch {
		case ctx.Err() != nil:
		case seen && errors.As(err, new(*hostedcluster.NotFoundError)):
			return w.writeLines(nil, []string{namespace + "/" + name})
		case err != nil && (!seen || !kube.IsTransient(err)):
			return w.t.Clarify(ctx, err)
		case err == nil:
			seen = true
		}
		cmdutil.Pause(ctx, time.Until(began.Add(minPause)), nil)
		cmdutil.Pause(ctx, time.Until(began.Add(maxPause)), watch.Changed())
	}
	return cmdutil.EndWatch(ctx)
}

// drain takes the pending changes, because the next read shows them. A kind that may not be watched is read
// after maxPause.
func (w *statusWatch) drain(ctx context.Context, changes []*informer.Changes) {
	ctx, cancel := context.WithTimeout(ctx, w.f.timeout)
	defer cancel()
	for _, c := range changes {
		_, _ = c.Take(ctx)
	}
}

// once reads and shows the clusters.
func (w *statusWatch) once(ctx context.Context, seen bool) error {
	readCtx, cancel := context.WithTimeout(ctx, w.f.timeout)
	defer cancel()
	all, err := w.read(readCtx)
	if err != nil {
		if seen && ctx.Err() == nil && kube.IsTransient(err) {
			w.a.Notices.Away(err)
		}
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err() // a cancelled read would blame servers that did not have time to answer
	}
	if w.board == nil {
		return w.lines(all)
	}
	screen := w.screen
	if screen.Size != nil {
		screen.Width, _ = screen.Size()
	}
	var text strings.Builder
	if err := w.render(&text, all, screen); err != nil {
		return err
	}
	w.board.Show(text.String())
	return nil
}

// lines prints the clusters that have changed since they were last printed.
func (w *statusWatch) lines(all []*status.Report) error {
	var changed []*status.Report
	current := map[string]bool{}
	for _, r := range all {
		key := r.Namespace + "/" + r.Name
		current[key] = true
		now, err := w.key(r)
		if err != nil {
			return err
		}
		before, printed := w.last[key]
		if printed && before == now || !printed && w.f.problems && r.Health == status.OK {
			continue
		}
		w.last[key] = now
		changed = append(changed, r)
	}
	var gone []string
	for key := range w.last {
		if !current[key] {
			gone = append(gone, key)
			delete(w.last, key)
		}
	}
	if len(changed)+len(gone) == 0 {
		return nil
	}
	if w.f.output == "json" {
		return sanitize.NewJSONEncoder(w.a.Streams.Out).Encode(w.document(all, changed, gone))
	}
	return w.writeLines(changed, gone)
}

// key returns the printed state of a cluster without elapsed times: the whole report for JSON, else the cells of
// its line.
func (w *statusWatch) key(r *status.Report) (string, error) {
	if w.f.output != "json" {
		return cmdutil.WithoutElapsed(strings.Join(cellsOf(r), "\t")), nil
	}
	data, err := json.Marshal(r)
	return cmdutil.WithoutElapsed(string(data)), err
}

// writeLines writes a line for each cluster.
func (w *statusWatch) writeLines(changed []*status.Report, gone []string) error {
	if w.f.output == "json" {
		return sanitize.NewJSONEncoder(w.a.Streams.Out).Encode(w.document(nil, nil, gone))
	}
	if w.board != nil {
		for _, key := range gone {
			w.board.Note("hosted cluster " + key + " is gone")
		}
		return nil
	}
	var rows [][]string
	now := w.t.Now().Local().Format(time.TimeOnly)
	for _, r := range changed {
		rows = append(rows, append([]string{now, r.Namespace + "/" + r.Name}, cellsOf(r)...))
	}
	for _, key := range gone {
		rows = append(rows, []string{now, key, "gone"})
	}
	return w.rows.Write(rows...)
}

// cellsOf returns the health, phase, version, nodes and message of a cluster.
func cellsOf(r *status.Report) []string {
	return []string{r.Health.String(), string(r.Phase), versions(r), nodesOf(r), shortened(r.Message, maxMessage)}
}

package status

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/report"
)

// How often status --watch reads: when a HostedCluster or NodePool has changed, but not sooner than minPause; and
// after maxPause in any case, because pods, VMs and what is inside of a hosted cluster are read without a watch.
const (
	minPause = time.Second
	maxPause = 10 * time.Second
)

// statusWatch shows a status again and again.
type statusWatch struct {
	a *cmdutil.Factory
	t *cmdutil.Target
	f *statusFlags
	// look reads the clusters; render writes the text for a user.
	look   func(context.Context) ([]*status.Report, error)
	render func(io.Writer, []*status.Report, report.Screen) error
	// document is what -o json writes of the clusters that changed and those that are gone.
	document func(all, changed []*status.Report, gone []string) any
	screen   report.Screen
	// board is nil where lines are written.
	board *report.Board
	rows  cmdutil.Table
	// last is what was told of each cluster, by namespace and name.
	last map[string]string
}

// run goes on until ctx ends, or the one cluster that it is about is gone.
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
			return w.tell(nil, []string{namespace + "/" + name})
		case err != nil && (!seen || !kube.IsTransient(err)):
			return w.t.Clarify(ctx, err)
		case err == nil:
			seen = true
		}
		pause(ctx, began.Add(minPause), nil)
		pause(ctx, began.Add(maxPause), watch.Changed())
	}
	return cmdutil.EndWatch(ctx)
}

// drain takes the changes, which the next look tells. What may not be watched is read after maxPause.
func (w *statusWatch) drain(ctx context.Context, changes []*informer.Changes) {
	ctx, cancel := context.WithTimeout(ctx, w.f.timeout)
	defer cancel()
	for _, c := range changes {
		_, _ = c.Take(ctx)
	}
}

// pause waits until a time, an earlier change or the end of ctx.
func pause(ctx context.Context, until time.Time, changed <-chan struct{}) {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-changed:
	case <-ctx.Done():
	}
}

// once reads and shows what there is.
func (w *statusWatch) once(ctx context.Context, seen bool) error {
	looking, cancel := context.WithTimeout(ctx, w.f.timeout)
	defer cancel()
	all, err := w.look(looking)
	if err != nil {
		if seen && ctx.Err() == nil && kube.IsTransient(err) {
			w.a.Notices.Away(err)
		}
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err() // a look that was broken off would blame servers that were not asked to the end
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

// lines tells what has changed since it was told last.
func (w *statusWatch) lines(all []*status.Report) error {
	var changed []*status.Report
	is := map[string]bool{}
	for _, r := range all {
		key := r.Namespace + "/" + r.Name
		is[key] = true
		now, err := w.key(r)
		if err != nil {
			return err
		}
		before, told := w.last[key]
		if told && before == now || !told && w.f.problems && r.Health == status.OK {
			continue
		}
		w.last[key] = now
		changed = append(changed, r)
	}
	var gone []string
	for key := range w.last {
		if !is[key] {
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
	return w.tell(changed, gone)
}

// elapsed matches times that grow by themselves, such as 42s and 3m12s.
var elapsed = lazyregexp.New(`\b(\d+[dhms])+\b`)

// key is what is told of a cluster, without elapsed times: in JSON everything, in a line what it has.
func (w *statusWatch) key(r *status.Report) (string, error) {
	if w.f.output != "json" {
		return elapsed.ReplaceAllString(strings.Join(cellsOf(r), "\t"), ""), nil
	}
	data, err := json.Marshal(r)
	return elapsed.ReplaceAllString(string(data), ""), err
}

// tell writes a line for each cluster.
func (w *statusWatch) tell(changed []*status.Report, gone []string) error {
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

// cellsOf are the health, the phase, the version, the nodes and the message of a cluster.
func cellsOf(r *status.Report) []string {
	return []string{r.Health.String(), string(r.Phase), versions(r), nodesOf(r), shortened(r.Message, maxMessage)}
}

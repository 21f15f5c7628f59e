package hubrun

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/informer"
)

// Limits of the time between two reads of a watched list. A change on the hub causes a read after minPause;
// maxPause is needed because a Lease that is not renewed causes no event.
const (
	minPause = time.Second
	maxPause = 15 * time.Second
)

// Watch prints all rows, and then each row that changes or disappears, until ctx ends. With Output json each row
// is a JSON document on its own line.
func (l List) Watch(ctx context.Context, a *cmdutil.Factory) error {
	if err := l.follow(ctx, a); ctx.Err() == nil {
		return err
	}
	return cmdutil.EndWatch(ctx)
}

func (l List) follow(ctx context.Context, a *cmdutil.Factory) error {
	t, f, chosen, err := l.read(ctx, a)
	if err != nil {
		return err
	}
	informers := t.NewInformers(ctx)
	defer informers.Close()
	watch := informers.Watch()
	defer watch.Close()
	changes := []*informer.Changes{
		t.Changes(watch, kube.Selection{Kind: kube.ManifestWork, Decoder: informer.NoValue}),
		t.Changes(watch, kube.Selection{Kind: kube.ManagedCluster, Decoder: informer.NoValue}),
		t.Changes(watch, kube.Selection{Kind: kube.ConfigMap, Namespace: hostedcluster.AssignmentsNamespace,
			Decoder: informer.NoValue}),
	}
	changed := changePrinter{list: l, a: a, rows: cmdutil.Table{W: a.Streams.Out}, last: map[string]string{}}
	for {
		if err := changed.print(f, chosen); err != nil {
			return err
		}
		for _, c := range changes {
			_, _ = c.Take(ctx) // a kind that may not be watched is read after maxPause
		}
		cmdutil.Pause(ctx, minPause, nil)
		cmdutil.Pause(ctx, maxPause-minPause, watch.Changed())
		for {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			next, err := hub.Read(ctx, t.Client)
			if err == nil {
				f = next
				break
			}
			if !kube.IsTransient(err) {
				return err
			}
			a.Notices.Away(err)
			cmdutil.Pause(ctx, maxPause, nil)
		}
		if chosen, _, err = l.of(a, f); err != nil {
			return err
		}
	}
}

// changePrinter prints changed rows. It stores the last printed state of each cluster on each site.
type changePrinter struct {
	list   List
	a      *cmdutil.Factory
	rows   cmdutil.Table
	last   map[string]string
	headed bool
}

// labelsOf returns the labels of a cluster if the table has them, else nil.
func (w *changePrinter) labelsOf(one *hub.Cluster) map[string]string {
	if w.list.Labels {
		return one.Labels
	}
	return nil
}

// print prints the rows that have changed since they were last printed. It ignores their age.
func (w *changePrinter) print(f *hub.Fleet, chosen []*hub.Cluster) error {
	current := map[string]bool{}
	var rows [][]string
	for _, one := range chosen {
		key := one.Site + " " + one.Subject()
		current[key] = true
		plain := *one
		plain.Seen = nil
		raw, err := json.Marshal(struct {
			hub.Cluster
			Labels map[string]string
		}{plain, w.labelsOf(one)})
		if err != nil {
			return err
		}
		now := cmdutil.WithoutElapsed(string(raw))
		before, printed := w.last[key]
		if printed && before == now || !printed && w.list.Problems && one.Health == status.OK {
			continue
		}
		w.last[key] = now
		if w.list.Output == "json" {
			if err := sanitize.NewJSONEncoder(w.a.Streams.Out).Encode(one); err != nil {
				return err
			}
			continue
		}
		row := []string{one.Site, one.Namespace, one.Name, one.Health.String(), version(one), nodes(one), lastSeen(f, one),
			one.Message}
		if w.list.Labels {
			row = append(row, status.Labels(one.Labels))
		}
		rows = append(rows, row)
	}
	var gone []string
	for key := range w.last {
		if !current[key] {
			gone = append(gone, key)
			delete(w.last, key)
		}
	}
	slices.Sort(gone)
	for _, key := range gone {
		if w.list.Output == "json" {
			err := sanitize.NewJSONEncoder(w.a.Streams.Out).Encode(map[string]any{"gone": key})
			if err != nil {
				return err
			}
			continue
		}
		site, subject, _ := strings.Cut(key, " ")
		namespace, name, _ := strings.Cut(subject, "/")
		rows = append(rows, []string{site, namespace, name, "gone"})
	}
	if len(rows) > 0 && !w.headed {
		w.headed = true
		rows = append([][]string{w.list.headings()}, rows...)
	}
	return w.rows.Write(rows...)
}

// Package events implements hcctl events.
package events

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/inspect"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// eventsDocument is the document of events -o json: docs/schema/cluster-events.json.
type eventsDocument struct {
	step.TypeMeta
	HostedCluster string         `json:"hostedCluster"`
	Events        []health.Event `json:"events"`
}

type eventsFlags struct {
	inspect.EventOptions
	output  string
	timeout time.Duration
}

// New returns the command events.
func New(a *cmdutil.Factory) *cobra.Command {
	f := &eventsFlags{}
	cmd := &cobra.Command{
		Use:     "events NAME",
		GroupID: "hosted",
		Short:   "Show what happened to a hosted cluster, its control plane and worker VMs",
		Long: `events shows what Kubernetes reported of a hosted cluster, the oldest first: the events of its HostedCluster
and NodePools, and all of its control plane's namespace, where the pods, volumes and worker VMs are. The API server
keeps events for a few hours only. Where something is wrong now, it says on stderr what, as hcctl status does. It
changes nothing.`,
		Example: `  hcctl events kv-00
  hcctl events kv-00 --warnings --since 30m
  hcctl events kv-00 -o json`,
		Args: cmdutil.OneName("hosted cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.timeout <= 0 || f.Since < 0 {
				return cmdutil.Misuse(cmd, fmt.Errorf("--timeout %s, --since %s: give times above zero, such as 30s", f.timeout,
					f.Since))
			}
			return runEvents(cmd.Context(), a, f, args[0])
		},
	}
	cmdutil.OutputFlag(cmd, &f.output, "json", "yaml")
	cmd.Flags().BoolVar(&f.Warnings, "warnings", false, "leave out what is normal")
	cmd.Flags().DurationVar(&f.Since, "since", 0, "leave out what is older, such as 30m; 0 means all there are")
	cmdutil.TimeoutFlag(cmd.Flags(), &f.timeout, 30*time.Second, "time limit for the whole command")
	return cmd
}

func runEvents(ctx context.Context, a *cmdutil.Factory, f *eventsFlags, name string) error {
	t, err := a.Connection.Dial()
	if err != nil {
		return err
	}
	namespace := cmdutil.ClustersNamespace(a.Call)
	events, err := inspect.Events(ctx, t.Client, namespace, name, f.EventOptions)
	if err != nil {
		return t.Clarify(ctx, err)
	}
	document := eventsDocument{step.NewTypeMeta("ClusterEvents"), namespace + "/" + name,
		append([]health.Event{}, events...)}
	switch f.output {
	case "json":
		return cmdutil.WriteJSON(a.Streams.Out, document)
	case "yaml":
		return cmdutil.WriteYAML(a.Streams.Out, document)
	}
	defer tellCause(ctx, a, t, namespace, name)
	if len(events) == 0 {
		return cmdutil.Say(a.Streams.Err, "No events of hosted cluster %s/%s.\n", namespace, name)
	}
	now := t.Now()
	rows := append([][]string{{"AGE", "TYPE", "REASON", "OBJECT", "MESSAGE"}}, EventRows(events,
		func(t time.Time) string { return duration.HumanDuration(max(0, now.Sub(t))) })...)
	return (&cmdutil.Table{W: a.Streams.Out}).Write(rows...)
}

// tellCause prints what is wrong now, and why, as status does. Events only report what has happened.
func tellCause(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, namespace, name string) {
	if r, err := status.Of(ctx, t.Client, namespace, name); err == nil && r.Health.Compare(status.Failing) >= 0 {
		cmdutil.Tell(a.Streams.Err, "\nHosted cluster %s/%s is %s\nNext: %s\n", namespace, name, r.Says(),
			a.Call.Render(hint.Run("status", hostedcluster.Argument(namespace, name)).Text()))
	}
}

// EventRows returns the rows of events, in their order.
func EventRows(events []health.Event, age func(time.Time) string) (rows [][]string) {
	for _, e := range events {
		when := age(e.Time)
		if e.Count > 1 {
			when += fmt.Sprintf(" (x%d)", e.Count)
		}
		rows = append(rows, []string{when, e.Type, e.Reason, e.Object, e.Message})
	}
	return rows
}

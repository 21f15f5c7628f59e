// Package logs implements hcctl logs.
package logs

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/inspect"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// componentsDocument is the document of logs -o json: docs/schema/components.json.
type componentsDocument struct {
	step.TypeMeta
	HostedCluster string        `json:"hostedCluster"`
	Pods          []inspect.Pod `json:"pods"`
}

type logsFlags struct {
	inspect.LogOptions
	output string
}

// maxFollowed is the maximum number of logs that are followed at once.
const maxFollowed = 20

// New returns the command logs.
func New(a *cmdutil.Factory) *cobra.Command {
	f := &logsFlags{LogOptions: inspect.LogOptions{Tail: 100}}
	cmd := &cobra.Command{
		Use:     "logs NAME [COMPONENT]",
		GroupID: "hosted",
		Short:   "Print logs of a hosted cluster's control plane, its worker VMs' pods, or HyperShift's operator",
		Long: `logs prints the log of a component of a hosted cluster: of its control plane, such as etcd or
kube-apiserver; of the virt-launcher pod of a worker VM, by the VM's name; or of HyperShift's operator
(hypershift-operator), which serves all hosted clusters. A pod's own name is understood too. Each line begins with the
pod's name if the component has several pods.

Without a component it lists what there is. Control characters of a log are shown as escapes, never obeyed. A log may
hold secrets of the hosted cluster: look before you send it further.`,
		Example: `  hcctl logs kv-00
  hcctl logs kv-00 kube-apiserver --tail 500
  hcctl logs kv-00 etcd --previous
  hcctl logs kv-00 control-plane-operator -f
  hcctl logs kv-00 hypershift-operator --since 10m`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return cmdutil.OneName("hosted cluster")(cmd, args)
			}
			if len(args) > 2 {
				return cmdutil.Misuse(cmd, fmt.Errorf("%s takes a hosted cluster and a component", cmd.CommandPath()))
			}
			return cmdutil.Named(cmd, "hosted cluster", args[:1])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.validate(args); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			return runLogs(cmd.Context(), a, f, args)
		},
	}
	flags := cmd.Flags()
	flags.BoolVarP(&f.Follow, "follow", "f", false, "keep printing new lines until interrupted")
	flags.BoolVarP(&f.Previous, "previous", "p", false, "the log of the container before its last restart")
	flags.Int64Var(&f.Tail, "tail", f.Tail, "how many of the last lines; 0 means all")
	flags.DurationVar(&f.Since, "since", 0, "leave out what is older, such as 10m")
	flags.StringVarP(&f.Container, "container", "c", "", "container of the pods, instead of the one with the main program")
	cmdutil.DescribedOutputFlag(cmd, &f.output, "without a component: output format: json", "json")
	return cmd
}

func (f *logsFlags) validate(args []string) error {
	switch {
	case f.Tail < 0:
		return fmt.Errorf("--tail %s: it cannot be negative; 0 means all lines", strconv.FormatInt(f.Tail, 10))
	case f.Since < 0:
		return fmt.Errorf("--since %s: give a time above zero, such as 10m", f.Since)
	case f.Follow && f.Previous:
		return errors.New("--follow and --previous: a container that has ended writes nothing more; give only one of them")
	case f.output != "" && len(args) == 2:
		return errors.New("--output: a log is printed as it is; it is for the list without a component")
	}
	return nil
}

func runLogs(ctx context.Context, a *cmdutil.Factory, f *logsFlags, args []string) error {
	t, err := a.Connection.Dial()
	if err != nil {
		return err
	}
	namespace := cmdutil.ClustersNamespace(a.Call)
	pods, err := inspect.Pods(ctx, t.Client, namespace, args[0])
	if err != nil {
		return t.Clarify(ctx, err)
	}
	if len(args) == 1 {
		return listComponents(a, f, namespace+"/"+args[0], hostedcluster.Argument(namespace, args[0]), pods)
	}
	chosen, err := inspect.Of(pods, args[1])
	if err != nil {
		return err
	}
	if f.Follow && len(chosen) > maxFollowed {
		return fmt.Errorf("%d pods are too many to follow at once: give the name of one", len(chosen))
	}
	return t.Clarify(ctx, printLogs(ctx, a, t.Client, f, chosen))
}

// listComponents prints the components and pods that have logs.
func listComponents(a *cmdutil.Factory, f *logsFlags, cluster string, argument hint.Args, pods []inspect.Pod) error {
	if f.output == "json" {
		return cmdutil.WriteJSON(a.Streams.Out, componentsDocument{step.NewTypeMeta("ClusterComponents"), cluster,
			append([]inspect.Pod{}, pods...)})
	}
	rows := [][]string{{"COMPONENT", "POD", "PHASE", "READY", "RESTARTS", "CONTAINERS"}}
	for _, p := range pods {
		ready := "no"
		if p.Ready {
			ready = "yes"
		}
		rows = append(rows, []string{p.Component, p.Name, p.Phase, ready, strconv.Itoa(int(p.Restarts)),
			strings.Join(p.Containers, ",")})
	}
	if err := (&cmdutil.Table{W: a.Streams.Out}).Write(rows...); err != nil {
		return err
	}
	cmdutil.Tell(a.Streams.Err, "Next: %s\n", a.Call.Render(hint.Run("logs", argument, "COMPONENT").Text()))
	return nil
}

// printLogs prints the logs of the pods one after the other, or interleaved if they are followed.
func printLogs(ctx context.Context, a *cmdutil.Factory, c *kube.Client, f *logsFlags, pods []inspect.Pod) error {
	var printing sync.Mutex
	one := func(p inspect.Pod) error {
		prefix := ""
		if len(pods) > 1 {
			prefix = p.Name + " | "
		}
		return inspect.Log(ctx, c, p, f.LogOptions, func(line string) error {
			printing.Lock()
			defer printing.Unlock()
			return a.Streams.Document([]byte(prefix + line + "\n")) // inspect.Log has made the line safe; Say would shorten it
		})
	}
	failures := make([]error, len(pods))
	if !f.Follow {
		for i, p := range pods {
			failures[i] = one(p)
		}
		return errors.Join(failures...)
	}
	var wg sync.WaitGroup
	for i, p := range pods {
		wg.Go(func() { failures[i] = one(p) })
	}
	wg.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.Join(failures...)
}

package ssh

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster/infrastructure"
	"github.com/hcctl/hcctl/pkg/hostedcluster/ssh"
	"github.com/hcctl/hcctl/pkg/kube/subresource"
)

// proxyCommand is the hidden command that ssh connects with. ofFlag is its flag for a hosted cluster whose VMs
// run on another cluster than its control plane. connectionVariable passes it the connection flags of hcctl ssh,
// because other users of the machine could read them on a command line.
const (
	proxyCommand       = "ssh-proxy"
	ofFlag             = "of"
	connectionVariable = "HCCTL_SSH_CONNECTION"
)

// connectionOf returns the given global flags with their values, as JSON.
func connectionOf(cmd *cobra.Command) (string, error) {
	given := map[string][]string{}
	cmd.InheritedFlags().Visit(func(f *pflag.Flag) {
		if f.Name == "verbose" {
			return
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			given[f.Name] = list.GetSlice()
			return
		}
		given[f.Name] = []string{f.Value.String()}
	})
	text, err := json.Marshal(given)
	return string(text), err
}

// NewProxy returns the hidden command through which ssh reaches a node.
func NewProxy(a *cmdutil.Factory) *cobra.Command {
	of := ""
	cmd := &cobra.Command{
		Use:   proxyCommand + " HOST PORT",
		Short: "Connect standard input and output to a port of a worker VM, for ssh",
		Long: `ssh-proxy connects its standard input and output to a port of a worker VM, through the API server. hcctl ssh
and hcctl scp name it as ssh's ProxyCommand. HOST is NODE.NAMESPACE, NAMESPACE being that of the control plane. With
--of NAMESPACE/NAME it is where that hosted cluster's VMs run, such as on an infrastructure cluster.`,
		Example: `  ssh -o ProxyCommand='hcctl ssh-proxy %h %p' core@kv-00-x7k2q.clusters-kv-00`,
		Hidden:  true,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			node, err := ssh.ParseHost(args[0])
			if err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			port, err := strconv.ParseUint(args[1], 10, 16)
			if err != nil || port == 0 {
				return cmdutil.Misuse(cmd, fmt.Errorf("%q is not a port", args[1]))
			}
			if err := takeConnection(a, cmd); err != nil {
				return err
			}
			t, err := a.Connection.Dial()
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			site := infrastructure.Site{Namespace: node.Namespace}
			if of != "" {
				namespace, name, _ := strings.Cut(of, "/")
				if site, err = ssh.Site(ctx, t.Client, namespace, name); err != nil {
					return t.Clarify(ctx, err)
				}
				if site.Namespace != node.Namespace {
					return fmt.Errorf("the worker VMs of hosted cluster %s are not in namespace %s", of, node.Namespace)
				}
			}
			stream, err := site.Dial(ctx, t.Config(), node.Name, fmt.Sprintf("portforward/%d/tcp", port))
			if err != nil {
				return t.Clarify(ctx, err)
			}
			defer func() { _ = stream.Close() }()
			return subresource.Copy(stream, a.Streams.In, sanitize.Unwrap(a.Streams.Out))
		},
	}
	cmd.Flags().StringVar(&of, ofFlag, "", "hosted cluster of the VM, as NAMESPACE/NAME, where its VMs run elsewhere")
	return cmd
}

// takeConnection sets the connection flags that hcctl ssh has passed on.
func takeConnection(a *cmdutil.Factory, cmd *cobra.Command) error {
	text := a.Getenv(connectionVariable)
	if text == "" {
		return nil
	}
	given := map[string][]string{}
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		return errors.New(connectionVariable + " is for hcctl's own use, and holds something else")
	}
	for name, values := range given {
		for _, value := range values {
			if err := cmd.InheritedFlags().Set(name, value); err != nil {
				return errors.New(connectionVariable + " is for hcctl's own use, and holds something else")
			}
		}
	}
	return nil
}

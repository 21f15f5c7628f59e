// Package proxy implements hcctl proxy: a hosted cluster's API server on a local port.
package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/program"
	kubeconfigcmd "github.com/hcctl/hcctl/pkg/cli/kubeconfig"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest/adminkubeconfig"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/transport"
	"github.com/hcctl/hcctl/pkg/kubeconfig"
)

// loopback is the only address to listen at.
const loopback = "127.0.0.1"

// New returns the command proxy.
func New(a *cmdutil.Factory) *cobra.Command {
	port := uint16(0)
	cmd := &cobra.Command{
		Use:     "proxy NAME",
		GroupID: "hosted",
		Short:   "Open a port of this machine that leads to a hosted cluster's API server, without a route to it",
		Long: `proxy listens at a port of 127.0.0.1 and passes each connection on, through the API server of the management
cluster, to a pod of the hosted cluster's kube-apiserver. It prints the line that points KUBECONFIG at it, and ends with
Ctrl-C.

It adds no credentials and opens none: whoever connects is asked by the hosted cluster itself. The kubeconfig is a file
of mode 0600 in a directory of its own (in XDG_RUNTIME_DIR, else TMPDIR), is gone when proxy has ended, and checks the
certificate against the cluster's CA and the name that its API server has.

It takes the right to get and create pods/portforward in the control plane's namespace: hcctl rbac --for tunnel.
hcctl exec does the same for one command.`,
		Example: "  hcctl proxy kv-00\n  hcctl proxy kv-00 --port 16443",
		Args:    cmdutil.OneName("hosted cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return run(cmd.Context(), a, args[0], port)
		},
	}
	cmd.Flags().Uint16Var(&port, "port", 0, "port to listen at; 0 means a free one")
	return cmd
}

func run(ctx context.Context, a *cmdutil.Factory, name string, port uint16) error {
	t, err := a.Connection.Dial()
	if err != nil {
		return err
	}
	access, err := kubeconfigcmd.FetchOne(ctx, a, t, name, kubeconfig.Admin)
	if err != nil {
		return t.Clarify(ctx, err)
	}
	key := client.ObjectKey{Namespace: cmdutil.ClustersNamespace(a.Call), Name: name}
	if err := guest.NewTunnel(t.Client, key).Try(ctx); err != nil {
		return unreached(key, err)
	}
	way, err := Open(ctx, a, t, key, access, port)
	if err != nil {
		return err
	}
	defer way.Close()
	path, remove, err := kubeconfig.WritePrivate(ctx, program.PrivateDirectory(ctx, a.Getenv), way.Kubeconfig)
	if err != nil {
		return fmt.Errorf("write a kubeconfig: %w", err)
	}
	defer remove()
	cmdutil.Tell(a.Streams.Err, "Hosted cluster %s answers at %s. Ctrl-C ends this.\n", key, way.Address)
	if err := cmdutil.Say(a.Streams.Out, "export KUBECONFIG=%s\n", sanitize.Word(path)); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// Needed opens a port if the address of a hosted API server does not answer from here, or if
// --through-management is always. It returns nil if the address answers, or nothing does.
func Needed(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, of client.ObjectKey,
	access *adminkubeconfig.Access) (*Way, error) {
	c, err := guest.Reach(t.Client, access, of)
	if err != nil {
		return nil, err
	}
	_, err = c.ServerVersion(ctx)
	always := a.Connection.Through() == transport.Always
	if taken, _ := t.DetourTo(of).Taken(); !taken && !always {
		return nil, nil //nolint:nilnil // the command itself reports why nothing answers
	}
	if kube.IsAway(err) && always {
		return nil, unreached(of, err)
	}
	return Open(ctx, a, t, of, access, 0)
}

// unreached returns the error of a tunnel.
func unreached(of client.ObjectKey, err error) error {
	return cmdutil.WithHint(fmt.Errorf("hosted cluster %s is not reached through the management cluster: %s", of,
		kube.Explain(err)), "%s", guest.TunnelRemedy(err, of))
}

// Way is an open local port that leads to a hosted cluster's API server.
type Way struct {
	// Address is host and port, Kubeconfig the administrator's kubeconfig for them.
	Address    string
	Kubeconfig []byte
	close      func()
}

// Close closes the port and its connections.
func (w *Way) Close() { w.close() }

// Open opens a port of the loopback address; 0 means a free port. The port stays open until Close, even after
// ctx ends. It prints on stderr why a connection failed, and does not repeat the same reason.
func Open(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, of client.ObjectKey,
	access *adminkubeconfig.Access, port uint16) (*Way, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(loopback, strconv.Itoa(int(port))))
	if err != nil {
		var op *net.OpError
		if errors.As(err, &op) {
			err = op.Err
		}
		return nil, cmdutil.WithHint(fmt.Errorf("port %d of %s cannot be listened at: %w", port, loopback, err),
			"another one: %s", hint.Flag("port"))
	}
	content, err := access.KubeconfigAt(listener.Addr().String())
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	var mu sync.Mutex
	last := ""
	failed := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if why := kube.Explain(err); why != last {
			last = why
			cmdutil.Tell(a.Streams.Err, "Warning: a connection to hosted cluster %s was closed: %s\n", of, why)
		}
	}
	go guest.NewTunnel(t.Client, of).Serve(life, listener, failed)
	return &Way{listener.Addr().String(), content, end}, nil
}

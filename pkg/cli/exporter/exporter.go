package exporter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/rendering"
	"github.com/hcctl/hcctl/pkg/fleet/exporter"
	"github.com/hcctl/hcctl/pkg/fleet/schedule"
	"github.com/hcctl/hcctl/pkg/kube"
)

// flags are the flags of exporter.
type flags struct {
	exporter.Options
	exporter.Server
	all, once, render, dashboard bool
	image                        string
	timeout                      time.Duration
}

// New returns the command exporter.
func New(a *cmdutil.Factory) *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:     "exporter",
		GroupID: "hosted",
		Short:   "Serve the states of hosted clusters as metrics for Prometheus",
		Long: `exporter watches the hosted clusters and node pools of a namespace (--namespace, by default clusters), or of
all, and serves what it sees at /metrics for Prometheus: phase and health of each cluster, milestones of its creation,
bad conditions with their reasons, roll-outs, and nodes of node pools. It only reads, and
no Secret: hcctl rbac --for exporter prints its role. docs/monitoring.md has the metrics, alerts and a dashboard.

With --expiry it reads Secrets as well, once an hour, and serves when the first certificate or token of each kind ends:
of the administrator's kubeconfig, of the control plane, of Dex and so on, as hcctl status --expiry tells them. Its role
is then that of hcctl rbac --for exporter,expiry.

With --causes it looks into clusters once a minute, as hcctl status -A does: into each of at most twenty, of more
into the first twenty that fail. Health is then that of hcctl status, and the root cause a metric. Its role is that
of hcctl rbac --for exporter,viewer,login.

/healthz answers while the process lives, /readyz once everything was read. It goes on after an outage of the API
server; hcctl_exporter_source_up is 0 for that time. SIGTERM or Ctrl-C end it with exit code 0, after the answers
that are under way.

It listens on loopback unless --listen says otherwise. Beyond that it takes a certificate (--tls-cert, --tls-key), which
it reads again when the files change, or --insecure-http.

--render prints what runs it on OpenShift: account, roles, Deployment, Service, NetworkPolicy, ServiceMonitor and
alerts. --dashboard prints a dashboard for Grafana. Both contact no server.`,
		Example: `  hcctl exporter
  hcctl exporter -A --listen :9467 --tls-cert tls.crt --tls-key tls.key --client-ca prometheus.crt
  hcctl exporter -A --expiry
  hcctl exporter --once > /var/lib/node_exporter/hcctl.prom
  hcctl exporter --render --image registry.example.com/tools/hcctl:1.0 | oc apply -f -
  hcctl exporter --dashboard > hosted-clusters.json`,
		Args: cmdutil.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.Namespace, f.Version = cmdutil.ClustersNamespace(a.Call), cmdutil.Version
			if err := f.validate(cmd); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			fleet, err := exporter.New(f.Options, time.Now())
			switch {
			case err != nil:
				return cmdutil.Misuse(cmd, err)
			case f.dashboard:
				return a.Streams.Document(exporter.Dashboard)
			case f.render:
				return printManifests(a, f)
			case f.once:
				return printOnce(cmd.Context(), a, f, fleet)
			}
			return serve(cmd.Context(), a, f, fleet)
		},
	}
	set := cmd.Flags()
	set.BoolVarP(&f.all, "all-namespaces", "A", false, "export the hosted clusters of all namespaces")
	set.StringVar(&f.Listen, "listen", exporter.DefaultListen, "address and port to serve at")
	set.StringVar(&f.Certificate, "tls-cert", "", "file with the certificate to serve with, in PEM")
	set.StringVar(&f.Key, "tls-key", "", "file with the certificate's private key, in PEM")
	set.StringVar(&f.ClientCA, "client-ca", "", "file in PEM; answer only clients whose certificate it has signed")
	set.BoolVar(&f.PlainHTTP, "insecure-http", false, "serve plain HTTP beyond loopback, too")
	set.StringSliceVar(&f.Hosts, "allowed-hosts", nil, "further names that clients may call it by, beside IP addresses, "+
		"localhost, the host of --listen and names of Services (.svc)")
	set.IntVar(&f.MaxClusters, "max-clusters", exporter.DefaultMaxClusters,
		"hosted clusters that get series of their own; the others are only counted")
	set.StringSliceVar(&f.Labels, "cluster-labels", nil,
		"labels of hosted clusters to export, such as env,tier (at most 10)")
	set.BoolVar(&f.Expiry, "expiry", false, "read Secrets, too, and export when certificates and tokens end")
	set.BoolVar(&f.Causes, "causes", false, "look into clusters, too, and export why they are not well")
	set.BoolVar(&f.once, "once", false, "print the metrics once on stdout, and serve nothing")
	set.DurationVar(&f.timeout, "timeout", time.Minute, "with --once: how long reading may take")
	set.BoolVar(&f.render, "render", false, "print the manifests that run it on OpenShift; contacts no server")
	set.StringVar(&f.image, "image", "", "with --render: image that has hcctl in its PATH; there is no default")
	set.BoolVar(&f.dashboard, "dashboard", false, "print a dashboard for Grafana; contacts no server")
	for _, file := range []string{"tls-cert", "tls-key", "client-ca"} {
		_ = cmd.MarkFlagFilename(file)
	}
	for _, free := range []string{"listen", "allowed-hosts", "max-clusters", "cluster-labels", "timeout", "image"} {
		cmdutil.Complete(cmd, free)
	}
	return cmd
}

// validate checks the flags.
func (f *flags) validate(cmd *cobra.Command) error {
	if f.all {
		f.Namespace = ""
	}
	ways := 0
	for _, way := range []bool{f.once, f.render, f.dashboard} {
		if way {
			ways++
		}
	}
	changed := func(flag string) bool { return cmd.Flags().Changed(flag) }
	switch {
	case ways > 1:
		return errors.New("--once, --render and --dashboard: give only one of them")
	case f.timeout <= 0:
		return fmt.Errorf("--timeout %s: more than 0", f.timeout)
	case changed("timeout") && !f.once:
		return errors.New("--timeout: only with --once; metrics are served until the command is ended")
	case changed("image") != f.render:
		return errors.New("--image and --render: give both or none")
	}
	if ways > 0 {
		for _, flag := range []string{"listen", "tls-cert", "tls-key", "client-ca", "insecure-http", "allowed-hosts"} {
			if changed(flag) {
				return fmt.Errorf("--%s: it is about serving, which --once, --render and --dashboard do not", flag)
			}
		}
	}
	if f.render {
		return schedule.CheckImage(f.image)
	}
	return f.Validate()
}

func printManifests(a *cmdutil.Factory, f *flags) error {
	d := exporter.Deployment{Namespace: cmdutil.ClustersNamespace(a.Call), AllNamespaces: f.all, Image: f.image,
		Labels: strings.Join(f.Labels, ","), Expiry: f.Expiry, Causes: f.Causes}
	all, err := d.Objects()
	if err != nil {
		return err
	}
	return rendering.PrintManifests(a, all)
}

// printOnce prints the metrics as soon as everything is read.
func printOnce(ctx context.Context, a *cmdutil.Factory, f *flags, fleet *exporter.Fleet) error {
	t, err := a.Connection.Dial()
	if err != nil {
		return err
	}
	ctx = a.Limit.Within(ctx, f.timeout)
	reading, cancel := context.WithCancel(ctx)
	defer cancel()
	ended, trouble := make(chan error, 1), make(chan error, 1)
	go func() {
		ended <- fleet.Follow(reading, t.Client, func(err error) {
			select {
			case trouble <- err:
			default:
			}
		})
	}()
	select {
	case <-fleet.Ready():
		var text bytes.Buffer
		if err := fleet.Write(&text, t.Now()); err != nil {
			return err
		}
		return a.Streams.Document(text.Bytes())
	case err := <-trouble:
		return t.Clarify(ctx, err)
	case err := <-ended:
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return t.Clarify(ctx, err)
	}
}

// serve watches the clusters and serves the metrics, until it is interrupted or the first read is refused.
func serve(ctx context.Context, a *cmdutil.Factory, f *flags, fleet *exporter.Fleet) error {
	t, err := a.Connection.Dial()
	if err != nil {
		return err
	}
	l, address, err := f.Open(ctx)
	if err != nil {
		return err
	}
	cmdutil.Tell(a.Streams.Err, "Serving metrics at %s\n", address)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		err := fleet.Follow(ctx, t.Client, func(err error) {
			if err == nil {
				cmdutil.Tell(a.Streams.Err, "%s answers again.\n", t)
				return
			}
			cmdutil.Tell(a.Streams.Err, "Waiting for %s: %s\n", t, kube.Explain(err))
		})
		cancel(err)
	}()
	err = f.Serve(ctx, l, fleet, t.Now)
	cancel(nil)
	<-followed
	switch cause := context.Cause(ctx); {
	case err != nil:
		return err
	case errors.Is(cause, context.Canceled):
		return nil // SIGTERM is the normal end
	default:
		return t.Clarify(context.WithoutCancel(ctx), cause)
	}
}

// Package cmdutil is what the commands share: the connection, streams and texts, options, runs, plans and exit codes.
package cmdutil

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/hcctl/hcctl/pkg/cli/internal/connection"
	"github.com/hcctl/hcctl/pkg/cli/internal/credentials"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/kube/transport"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// The linker sets these: Version by the repository's tags, Commit as the full hash and Date as the time of that commit
// (RFC 3339). Commit and Date are empty in a build that nobody told them.
var (
	Version = "devel"
	Commit  string
	Date    string
)

// Factory is what the commands share. It makes expensive things on demand.
type Factory struct {
	Streams Streams
	Getenv  func(string) string
	// Name is how the user calls hcctl: as a plugin "kubectl hcctl" or "oc hcctl". Empty means hcctl.
	Name string
	// Commands are the names of all commands below the root.
	Commands []string
	// Args are the words of this call after the program's name.
	Args []string
	// KubeFlags are kubectl's own connection flags.
	KubeFlags *connection.Flags
	Verbosity int
	Yes       bool
	// Colour is --color: auto, always or never. Empty means auto.
	Colour string
	// FromFile is the namespace of hosted clusters in a file of this call, empty if there is none.
	FromFile string
	// Interrupted is closed by the first signal; it may be nil.
	Interrupted <-chan struct{}
	// GaveUp is whether a signal interrupted the reading of a file, whatever the error.
	GaveUp bool
	// interrupted is the report of a run that was interrupted.
	interrupted *step.Report
	// subjects is what a subject of that run is; empty for a hosted cluster.
	subjects string
	log      *zap.Logger
	// shown is the progress of the current run, which prints notes; nil between runs.
	shown struct {
		sync.Mutex
		progress report.Progress
	}
	// FilesFrom are folders beside its own in which a document may name files, AllowKinds further kinds of manifests, see
	// BindAllowed.
	FilesFrom, AllowKinds []string
	// filesRead are the files that documents named, for questions and plans.
	filesRead []string
	// inUse are the credentials of the user; nil until they are needed.
	inUse *credentials.InUse
	// Meter counts the requests to the cluster; nil counts none.
	Meter *kube.Meter
}

// Target is the management cluster of a command.
type Target struct {
	*kube.Client
	// Context is the kubeconfig context, empty in a pod.
	Context string
	// Server is the API server's URL.
	Server string
	// Version is the API server's version, such as v1.33.2.
	Version string
	// OpenShift is the version of OpenShift, such as 4.20.3, empty if it cannot be read.
	OpenShift string
	// SharedReads is a read cache from just before a run, for its first checks; it may be nil.
	SharedReads *informer.SharedReads
}

// Named returns the target with its version, for confirmations.
func (t *Target) Named() string {
	if t.OpenShift != "" {
		return fmt.Sprintf("OpenShift %s at %s", t.OpenShift, t)
	}
	return fmt.Sprintf("Kubernetes %s at %s", t.Version, t)
}

// String returns the target for a person.
func (t *Target) String() string {
	if t.Context == "" {
		return t.Server
	}
	return fmt.Sprintf("%s (context %s)", t.Server, t.Context)
}

// connectTimeout bounds the first request, because a server may accept the connection and never answer.
const connectTimeout = 30 * time.Second

// Connect makes the client and sends one request, so that an unreachable server or expired credentials are one error
// and not one per step.
func (a *Factory) Connect(ctx context.Context) (*Target, error) {
	t, err := a.Dial()
	if err != nil {
		return nil, err
	}
	return t, t.Introduce(ctx, nil)
}

// Dial makes the client without a request, for commands that begin with a single request. Clarify makes the error of
// that request as clear as Connect's.
func (a *Factory) Dial() (*Target, error) {
	if err := a.CheckKubeconfigs(); err != nil {
		return nil, err
	}
	if a.Nowhere() {
		return nil, WithHint(errors.New("no cluster to talk to: "+a.whyNowhere()),
			"set KUBECONFIG or give --kubeconfig FILE")
	}
	a.remember()
	cfg, err := a.KubeFlags.REST()
	if err != nil {
		return nil, a.badKubeconfig(err)
	}
	cfg.Wrap(a.logRequests)
	if a.Meter != nil {
		cfg.Wrap(a.Meter.Wrap)
	}
	cfg.WarningHandler = warnings{a.logger()}
	client, err := kube.New(cfg, transport.OnAway(a.Away, a.back))
	if err != nil {
		return nil, err
	}
	t := &Target{Client: client, Server: cfg.Host}
	if raw, err := a.KubeFlags.Loader().RawConfig(); err == nil {
		t.Context = raw.CurrentContext
		if name := a.KubeFlags.Overrides.CurrentContext; name != "" {
			t.Context = name
		}
	}
	return t, nil
}

// Away and back report an outage of the API server and its end.
func (a *Factory) Away(err error) { a.note(kube.Explain(err) + "; waiting for it") }

func (a *Factory) back(after time.Duration) {
	a.note(fmt.Sprintf("the API server answers again, after %s", after.Round(time.Second)))
}

// note prints a message about the run as a whole, whatever is on the screen.
func (a *Factory) note(text string) {
	a.shown.Lock()
	defer a.shown.Unlock()
	if a.shown.progress == nil {
		Tell(a.Streams.Err, "%s\n", UpperFirst(text))
		return
	}
	a.shown.progress.Note(UpperFirst(text))
}

// Show makes progress print the notes; nil ends that.
func (a *Factory) Show(progress report.Progress) {
	a.shown.Lock()
	defer a.shown.Unlock()
	a.shown.progress = progress
}

// Aside runs what writes to the terminal while the progress of the run keeps off it.
func (a *Factory) Aside(talk func()) {
	a.shown.Lock()
	progress := a.shown.progress
	a.shown.Unlock()
	report.Aside(progress, talk)
}

// Introduce reads the versions of the API server and of OpenShift. reads says how; nil means live.
func (t *Target) Introduce(ctx context.Context, reads step.Reads) error {
	ask, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	answers := make(chan serverVersions, 1)
	go func() { answers <- versions(ask, t.Reader(reads)) }() // a command for credentials does not end with the context
	select {
	case <-ctx.Done():
		return ctx.Err()
	case v := <-answers:
		t.Version, t.OpenShift = v.kubernetes, v.openShift
		switch {
		case v.err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		}
		return unreachable(t, v.err)
	}
}

// serverVersions are the versions that an API server reports.
type serverVersions struct {
	kubernetes, openShift string
	err                   error
}

func versions(ctx context.Context, r kube.Reader) serverVersions {
	openshift := make(chan string, 1)
	go func() {
		v, err := prereq.OpenShift(ctx, r)
		if err != nil {
			openshift <- ""
			return
		}
		openshift <- v.String()
	}()
	kubernetes, err := r.ServerVersion(ctx)
	return serverVersions{kubernetes, <-openshift, err}
}

// Clarify returns Connect's error for the error of a first request, if that is about the server or the credentials.
func (t *Target) Clarify(ctx context.Context, err error) error {
	if err != nil && ctx.Err() == nil && (apierrors.IsUnauthorized(err) || transport.IsCredentials(err) ||
		transport.IsUntrusted(err) || kube.IsAway(err) || t.wantsHTTPS(err)) {
		return unreachable(t, err)
	}
	return err
}

// Nowhere reports whether there is no kubeconfig and no other address of a cluster. kubectl would use localhost:8080
// then.
func (a *Factory) Nowhere() bool {
	if a.KubeFlags.Overrides.ClusterInfo.Server != "" {
		return false
	}
	raw, err := a.KubeFlags.Loader().RawConfig()
	if err != nil || !api.IsConfigEmpty(&raw) {
		return false
	}
	_, err = rest.InClusterConfig()
	return errors.Is(err, rest.ErrNotInCluster)
}

// wantsHTTPS reports whether err is how a server refuses plain http.
func (t *Target) wantsHTTPS(err error) bool {
	return strings.HasPrefix(t.Server, "http://") && apierrors.IsBadRequest(err)
}

// unreachable returns why the first request failed, and what to do.
func unreachable(t *Target, err error) error {
	const other = "correct the address, in --server or in the kubeconfig: oc config view --minify shows it"
	switch {
	case t.wantsHTTPS(err):
		return WithHint(fmt.Errorf("cannot reach %s: it refuses plain http", t),
			"write https:// in front of the address, in --server or in the kubeconfig")
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return WithHint(fmt.Errorf("cannot reach %s: it answers plain http, not https", t), other)
	case kube.IsKindMissing(err):
		return WithHint(fmt.Errorf("%s is not the API server of a Kubernetes cluster: it has no /version", t), other)
	case apierrors.IsUnauthorized(err):
		return WithHint(fmt.Errorf("%s does not accept the credentials: they are wrong or have expired", t), kube.Remedy(err))
	case transport.IsCredentials(err):
		hint := kube.Remedy(err)
		if exec := t.Config().ExecProvider; exec != nil && exec.InstallHint != "" {
			hint = strings.Join(strings.Fields(exec.InstallHint), " ")
		}
		return WithHint(fmt.Errorf("cannot log in to %s: %s", t, kube.Explain(err)), hint)
	case transport.IsUntrusted(err):
		return WithHint(fmt.Errorf("cannot reach %s: %s", t, kube.Explain(err)), kube.Remedy(err))
	case apierrors.IsForbidden(err):
		return WithHint(fmt.Errorf("%s does not let this user ask for its version: %s", t, kube.Explain(err)),
			"ask its administrator for access")
	default:
		return WithHint(fmt.Errorf("cannot reach %s: %s", t, kube.Explain(err)),
			"oc config get-contexts lists what --context can be; curl -k "+strings.TrimRight(t.Server, "/")+
				"/readyz says whether the server is up")
	}
}

// options returns the engine's options for a run against t. Close the informers after the run.
func (a *Factory) options(
	ctx context.Context, t *Target, observe func(step.Event)) (step.Options, *informer.Informers) {
	informers, reads := t.NewInformers(ctx), t.SharedReads
	if t.SharedReads = nil; reads == nil {
		reads = informer.NewSharedReads(ctx)
	}
	return step.Options{
		Observe: observe,
		Watch: func() step.Watch {
			reads.End()
			return informers.Watch()
		},
		ReadCache:   func(ctx context.Context) step.Reads { return reads.Cache(ctx) },
		BeforeWrite: reads.End,
		Transient:   kube.IsTransient, Explain: kube.Explain, IsOutage: transport.IsOutage,
	}, informers
}

// Package cmdutil is what the commands share: the connection, streams and their words, options, runs, plans and exit
// codes.
package cmdutil

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/hcctl/hcctl/pkg/cli/internal/connection"

	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// Factory is what commands share. Everything that costs time is made when first asked for.
type Factory struct {
	Streams Streams
	Getenv  func(string) string
	// KubeFlags are kubectl's own connection flags.
	KubeFlags *connection.Flags
	Verbosity int
	Yes       bool
	// FromFile is the namespace of hosted clusters that a file of this call names; empty if none does.
	FromFile string
	// Interrupted is closed by the first signal; nil where there are none.
	Interrupted <-chan struct{}
	// GaveUp is set when a file was not read to its end because of a signal, whatever error became of it.
	GaveUp bool
	log    *zap.Logger
	// shown is the progress of the run that is under way, by which notes are told; nil while there is none.
	shown struct {
		sync.Mutex
		progress report.Progress
	}
	// Meter counts the requests to the cluster, for a command that tells of them; nil counts none.
	Meter *kube.Meter
}

// logger writes what people who debug want to know to Err: warnings always, requests from -v on.
func (a *Factory) logger() *zap.Logger {
	if a.log != nil {
		return a.log
	}
	level := zapcore.WarnLevel
	if a.Verbosity > 0 {
		level = zapcore.DebugLevel
	}
	encoder := zapcore.NewConsoleEncoder(zapcore.EncoderConfig{
		TimeKey: "time", LevelKey: "level", MessageKey: "message", EncodeTime: zapcore.ISO8601TimeEncoder,
		EncodeLevel: zapcore.CapitalLevelEncoder, EncodeDuration: zapcore.StringDurationEncoder,
	})
	a.log = zap.New(zapcore.NewCore(encoder, zapcore.AddSync(discreet{a.Streams.Err}), level))
	return a.log
}

// discreet writes lines without secrets and control characters: what servers say is in some of them.
type discreet struct{ w io.Writer }

func (d discreet) Write(p []byte) (int, error) {
	if _, err := io.WriteString(d.w, redact.Message(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Target is the cluster a command talks to.
type Target struct {
	*kube.Client
	// Context is the kubeconfig context in use; empty in a pod.
	Context string
	// Server is the API server's URL.
	Server string
	// Version is the API server's own version, such as v1.33.2.
	Version string
	// OpenShift is the version of OpenShift, such as 4.20.3; empty where it cannot be read.
	OpenShift string
	// Glance is what was read a moment before a run, for its first looks to share; nil where nothing was.
	Glance *kube.SharedReads
}

// Named names the target with its version, for those who are about to change it.
func (t *Target) Named() string {
	if t.OpenShift != "" {
		return fmt.Sprintf("OpenShift %s at %s", t.OpenShift, t)
	}
	return fmt.Sprintf("Kubernetes %s at %s", t.Version, t)
}

// String names the target for a person.
func (t *Target) String() string {
	if t.Context == "" {
		return t.Server
	}
	return fmt.Sprintf("%s (context %s)", t.Server, t.Context)
}

// connectTimeout bounds the first question to the API server: one that takes the connection and never answers must not
// hold a command for ever.
const connectTimeout = 30 * time.Second

// Connect makes the client and asks the API server once, so that an unreachable server or expired credentials are one
// clear error rather than one a step.
func (a *Factory) Connect(ctx context.Context) (*Target, error) {
	t, err := a.Dial()
	if err != nil {
		return nil, err
	}
	return t, t.Introduce(ctx)
}

// Dial makes the client and asks nobody: for commands whose first question is one, whose error clarify makes as clear
// as that of connect.
func (a *Factory) Dial() (*Target, error) {
	if err := a.CheckKubeconfigs(); err != nil {
		return nil, err
	}
	if a.Nowhere() {
		return nil, WithHint(errors.New("no cluster to talk to: there is no kubeconfig"),
			"set KUBECONFIG or give --kubeconfig FILE")
	}
	a.remember()
	cfg, err := a.KubeFlags.REST()
	if err != nil {
		return nil, WithHint(fmt.Errorf("kubeconfig: %w", err), "hcctl takes --kubeconfig, --context and KUBECONFIG as "+
			"kubectl does")
	}
	cfg.Wrap(a.logRequests)
	if a.Meter != nil {
		cfg.Wrap(a.Meter.Wrap)
	}
	cfg.WarningHandler = warnings{a.logger()}
	client, err := kube.New(cfg, kube.OnAway(a.Away, a.back))
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

// Away and back tell that the API server does not answer, and that it does again.
func (a *Factory) Away(err error) { a.note(kube.Explain(err) + "; waiting for it") }

func (a *Factory) back(after time.Duration) {
	a.note(fmt.Sprintf("the API server answers again, after %s", after.Round(time.Second)))
}

// note tells what no step has to tell, in the midst of whatever is shown.
func (a *Factory) note(text string) {
	a.shown.Lock()
	defer a.shown.Unlock()
	if a.shown.progress == nil {
		Tell(a.Streams.Err, "%s\n", UpperFirst(text))
		return
	}
	a.shown.progress.Note(UpperFirst(text))
}

// Show makes progress what notes are told by; nil ends that.
func (a *Factory) Show(progress report.Progress) {
	a.shown.Lock()
	defer a.shown.Unlock()
	a.shown.progress = progress
}

// Introduce asks the API server for its version and that of OpenShift.
func (t *Target) Introduce(ctx context.Context) error {
	ask, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	answers := make(chan serverVersions, 1)
	go func() { answers <- t.versions(ask) }() // a command for credentials does not end with the context
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

// serverVersions is what an API server says of itself.
type serverVersions struct {
	kubernetes, openShift string
	err                   error
}

func (t *Target) versions(ctx context.Context) serverVersions {
	openshift := make(chan string, 1)
	go func() { openshift <- prereqs.OpenShift(ctx, t.Client) }()
	kubernetes, err := t.ServerVersion(ctx)
	return serverVersions{kubernetes, <-openshift, err}
}

// Clarify is what connect would have said of the error of a first question, if that is about the server or the
// credentials, not about what was asked.
func (t *Target) Clarify(ctx context.Context, err error) error {
	if err != nil && ctx.Err() == nil && (apierrors.IsUnauthorized(err) || kube.IsCredentials(err) ||
		kube.IsUntrusted(err) || kube.IsAway(err)) {
		return unreachable(t, err)
	}
	return err
}

// Nowhere tells whether nothing says where the cluster is. kubectl then asks localhost:8080, of which nobody thinks
// today.
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

// unreachable says why the first request failed, and what to do.
func unreachable(t *Target, err error) error {
	switch {
	case apierrors.IsUnauthorized(err):
		return WithHint(fmt.Errorf("%s does not accept the credentials: they are wrong or have expired", t), kube.Remedy(err))
	case kube.IsCredentials(err):
		hint := kube.Remedy(err)
		if exec := t.Config().ExecProvider; exec != nil && exec.InstallHint != "" {
			hint = strings.Join(strings.Fields(exec.InstallHint), " ")
		}
		return WithHint(fmt.Errorf("cannot log in to %s: %s", t, kube.Explain(err)), hint)
	case kube.IsUntrusted(err):
		return WithHint(fmt.Errorf("cannot reach %s: %s", t, kube.Explain(err)), kube.Remedy(err))
	case apierrors.IsForbidden(err):
		return WithHint(fmt.Errorf("%s does not let this user ask for its version: %s", t, kube.Explain(err)),
			"ask its administrator for access")
	default:
		return WithHint(fmt.Errorf("cannot reach %s: %s", t, kube.Explain(err)),
			"is it the right --context, and is the server up?")
	}
}

// options are the engine's options for a run against t. The returned mirror must be closed after the run.
func (a *Factory) options(ctx context.Context, t *Target, observe func(step.Event)) (step.Options, *kube.Informers) {
	mirror, glance := t.NewInformers(ctx), t.Glance
	if t.Glance = nil; glance == nil {
		glance = kube.NewSharedReads(ctx)
	}
	return step.Options{
		Observe: observe,
		Watch: func() step.Watch {
			glance.End()
			return mirror.Watch()
		},
		Once: glance.Context, Written: glance.End,
		Transient: kube.IsTransient, Explain: kube.Explain, Elsewhere: kube.ToldElsewhere,
	}, mirror
}

// logRequests tells -v of each request: method, path, status, time. Never a body or a header: they may hold secrets.
func (a *Factory) logRequests(next http.RoundTripper) http.RoundTripper {
	log := a.logger()
	if !log.Core().Enabled(zapcore.DebugLevel) {
		return next
	}
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		begin := time.Now()
		resp, err := next.RoundTrip(r)
		fields := []zap.Field{zap.String("method", r.Method), zap.String("path", r.URL.RequestURI()),
			zap.Duration("took", time.Since(begin))}
		if err != nil {
			log.Debug("request", append(fields, zap.String("error", value(err.Error())))...)
			return resp, err
		}
		log.Debug("request", append(fields, zap.Int("status", resp.StatusCode))...)
		return resp, nil
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// warnings sends the API server's warning headers to the log at debug level: they speak to API developers.
type warnings struct{ log *zap.Logger }

var _ rest.WarningHandler = warnings{}

// HandleWarningHeader implements rest.WarningHandler.
func (w warnings) HandleWarningHeader(code int, agent, text string) {
	w.log.Debug("API warning", zap.Int("code", code), zap.String("agent", value(agent)), zap.String("text", value(text)))
}

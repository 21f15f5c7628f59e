package cmdutil

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/safefile"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/hostedcluster/infrastructure"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/kube/transport"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Connection makes clients of the cluster that the call names.
type Connection struct {
	call    *Call
	getenv  func(string) string
	notices *Notices
	// through is the value of --through-management.
	through string
	// Meter counts the requests to the cluster; nil counts none.
	Meter *kube.Meter
	log   *zap.Logger
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

// String returns the target for a user.
func (t *Target) String() string {
	if t.Context == "" {
		return t.Server
	}
	return fmt.Sprintf("%s (context %s)", t.Server, t.Context)
}

// connectTimeout bounds the first request, because a server may accept the connection and never answer.
const connectTimeout = 30 * time.Second

// BindThrough adds --through-management.
func BindThrough(c *Connection, root *cobra.Command) {
	flags := root.PersistentFlags()
	flags.StringVar(&c.through, "through-management", string(transport.Auto),
		"whether hosted clusters are reached through "+
			"the API server of the management cluster: auto (where their address does not answer from here), always or never")
	flags.Lookup("through-management").NoOptDefVal = string(transport.Always)
	Complete(root, "through-management", string(transport.Auto), string(transport.Always), string(transport.Never))
}

// Through returns how hosted API servers are reached.
func (c *Connection) Through() transport.Way { return transport.Way(c.through) }

// CheckThrough returns an error for an unknown value of --through-management.
func CheckThrough(c *Connection, cmd *cobra.Command) error {
	switch c.Through() {
	case "", transport.Auto, transport.Always, transport.Never:
		return nil
	}
	return Misuse(cmd, fmt.Errorf("--through-management %q: it takes auto, always or never", c.through))
}

// Connect makes the client and sends one request, so that an unreachable server or expired credentials are one error
// and not one per step.
func (c *Connection) Connect(ctx context.Context) (*Target, error) {
	t, err := c.Dial()
	if err != nil {
		return nil, err
	}
	return t, t.Introduce(ctx, nil)
}

// Dial makes the client without a request, for commands that begin with a single request. Clarify makes the error of
// that request as clear as Connect's.
func (c *Connection) Dial() (*Target, error) {
	if err := c.CheckKubeconfigs(); err != nil {
		return nil, err
	}
	if c.NoClusterConfigured() {
		return nil, WithHint(errors.New("no cluster to talk to: "+whyNotConfigured(c.call)),
			"set KUBECONFIG or give --kubeconfig FILE")
	}
	c.rememberSecrets()
	cfg, err := c.call.KubeFlags.REST()
	if err != nil {
		return nil, badKubeconfig(c.call, err)
	}
	cfg.Wrap(c.logRequests)
	if c.Meter != nil {
		cfg.Wrap(c.Meter.Wrap)
	}
	cfg.WarningHandler = warnings{c.logger()}
	client, err := kube.New(cfg, transport.OnAway(c.notices.Away, c.notices.back), transport.Guests(c.Through()))
	if err != nil {
		return nil, err
	}
	t := &Target{Client: client, Server: cfg.Host}
	if raw, err := c.call.KubeFlags.Loader().RawConfig(); err == nil {
		t.Context = raw.CurrentContext
		if name := c.call.KubeFlags.Overrides.CurrentContext; name != "" {
			t.Context = name
		}
	}
	c.notices.shown.Lock()
	c.notices.shown.target = t
	c.notices.shown.Unlock()
	return t, nil
}

// Introduce reads the versions of the API server and of OpenShift. reads is the cache to read from; nil reads
// live.
func (t *Target) Introduce(ctx context.Context, reads step.Reads) error {
	requestCtx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	answers := make(chan serverVersions, 1)
	// A command for credentials does not end with the context, so this goroutine may outlive it.
	go func() { answers <- versions(requestCtx, t.Reader(reads)) }()
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
	notReached := (*infrastructure.NotReachedError)(nil) // an error about another server
	if err == nil || ctx.Err() != nil || errors.As(err, &notReached) {
		return err
	}
	switch kube.KindOf(err) {
	case kube.CredentialsCommand, kube.CertificateEnded, kube.Unauthorized, kube.OutOfDate, kube.Untrusted, kube.Proxy,
		kube.ConnectionRefused, kube.NoName, kube.NoAnswer:
		return unreachable(t, err)
	case kube.OtherError, kube.TooLarge, kube.NotPermitted, kube.Webhook, kube.NotReady:
	}
	if t.wantsHTTPS(err) {
		return unreachable(t, err)
	}
	return err
}

// NoClusterConfigured reports whether neither a kubeconfig, a flag nor a pod's environment names a cluster.
// kubectl would use localhost:8080 then.
func (c *Connection) NoClusterConfigured() bool {
	if c.call.KubeFlags.Overrides.ClusterInfo.Server != "" {
		return false
	}
	raw, err := c.call.KubeFlags.Loader().RawConfig()
	if err != nil || !api.IsConfigEmpty(&raw) {
		return false
	}
	_, err = rest.InClusterConfig()
	return errors.Is(err, rest.ErrNotInCluster)
}

// wantsHTTPS reports whether err is a server's refusal of plain http.
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
	case kube.KindOf(err) == kube.Unauthorized:
		return WithHint(fmt.Errorf("%s does not accept the credentials: they are wrong or have expired", t), "%s",
			kube.Remedy(err))
	case transport.IsCredentials(err):
		next := kube.Remedy(err)
		if exec := t.Config().ExecProvider; exec != nil && exec.InstallHint != "" {
			next = hint.Plain(strings.Join(strings.Fields(exec.InstallHint), " "))
		}
		return WithHint(fmt.Errorf("cannot log in to %s: %s", t, kube.Explain(err)), "%s", next)
	case apierrors.IsForbidden(err):
		return WithHint(fmt.Errorf("%s does not let this user ask for its version: %s", t, kube.Explain(err)),
			"ask its administrator for access")
	case !kube.Remedy(err).IsZero():
		return WithHint(fmt.Errorf("cannot reach %s: %s", t, kube.Explain(err)), "%s", kube.Remedy(err))
	default:
		return WithHint(fmt.Errorf("cannot reach %s: %s", t, kube.Explain(err)),
			"oc config get-contexts lists what --context can be; curl -k %s/readyz says whether the server is up",
			strings.TrimRight(t.Server, "/"))
	}
}

// anotherKubeconfig is the hint for a file that cannot be used.
const anotherKubeconfig = "give another: --kubeconfig FILE, or KUBECONFIG"

// maxKubeconfigBytes limits the size of a user's kubeconfig, because client-go reads whole files.
const maxKubeconfigBytes = 32 << 20

// CheckKubeconfigs refuses kubeconfigs that are not regular files or are too large, before client-go opens them.
// client-go would wait for a FIFO and ignore signals.
func (c *Connection) CheckKubeconfigs() error {
	for _, path := range KubeconfigFiles(c.call, "").GetLoadingPrecedence() {
		err := safefile.Regular(path)
		var unsafe *safefile.Error
		if errors.As(err, &unsafe) {
			return WithHint(fmt.Errorf("kubeconfig: %w", err),
				"write it to a regular file, and give that with --kubeconfig or KUBECONFIG")
		}
		if info, err := os.Stat(path); err == nil && info.Size() > maxKubeconfigBytes {
			return WithHint(fmt.Errorf("kubeconfig %s has more than %d MiB", path, maxKubeconfigBytes>>20),
				anotherKubeconfig)
		}
	}
	return nil
}

// badKubeconfig returns why the kubeconfig and the flags do not give a connection. It replaces client-go's error
// about a file that cannot be parsed, because that error may quote the file.
func badKubeconfig(call *Call, err error) error {
	for _, path := range KubeconfigFiles(call, "").GetLoadingPrecedence() {
		if _, unread := clientcmd.LoadFromFile(path); unread != nil && !errors.Is(unread, fs.ErrNotExist) {
			var no *fs.PathError
			if errors.As(unread, &no) {
				return WithHint(fmt.Errorf("kubeconfig: %w", unread), anotherKubeconfig)
			}
			return WithHint(fmt.Errorf("kubeconfig %s: not a kubeconfig, which is a YAML document of kind Config", path),
				anotherKubeconfig)
		}
	}
	if path := call.KubeFlags.Kubeconfig; path != "" && errors.Is(err, fs.ErrNotExist) {
		return WithHint(fmt.Errorf("kubeconfig %s: there is no such file", path), anotherKubeconfig)
	}
	next := hint.New("hcctl takes --kubeconfig, --context and KUBECONFIG as kubectl does")
	if cluster := call.KubeFlags.Overrides.Context.Cluster; cluster != "" {
		next = hint.New("--cluster names an entry of the kubeconfig; for a hosted cluster give its name as the "+
			"argument, or --cluster-name %s", sanitize.Word(cluster))
	}
	return WithHint(fmt.Errorf("kubeconfig: %w", err), "%s", next)
}

// whyNotConfigured returns which kubeconfig has no cluster.
func whyNotConfigured(call *Call) string {
	if call.KubeFlags.Kubeconfig != "" {
		return "no cluster is in " + call.KubeFlags.Kubeconfig
	}
	files := KubeconfigFiles(call, "").GetEnvVarFiles()
	named := strings.Join(files, string(filepath.ListSeparator))
	switch {
	case named == "":
		return "there is no kubeconfig"
	case slices.ContainsFunc(files, exists):
		return "no cluster is in what KUBECONFIG names: " + named
	}
	return "what KUBECONFIG names does not exist: " + named
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// KubeconfigFiles returns the user's kubeconfig files, and which of them kubectl config would write.
func KubeconfigFiles(call *Call, explicit string) *clientcmd.PathOptions {
	options := clientcmd.NewDefaultPathOptions()
	if options.LoadingRules.ExplicitPath = explicit; explicit == "" {
		options.LoadingRules.ExplicitPath = call.KubeFlags.Kubeconfig
	}
	return options
}

// proxyVariables are the variables of net/http for proxies. Errors may repeat their values.
var proxyVariables = []string{"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"}

// rememberSecrets registers the secrets of the kubeconfig and the environment with redact, which removes them
// from all output. Secrets of commands and files are registered when they are sent.
func (c *Connection) rememberSecrets() {
	for _, name := range proxyVariables {
		redact.RememberURL(c.getenv(name))
		redact.RememberURL(c.getenv(strings.ToLower(name)))
	}
	redact.RememberValues(c.call.KubeFlags.Overrides.AuthInfo.Token)
	raw, err := c.call.KubeFlags.Loader().RawConfig()
	if err != nil {
		return // the next read reports the error
	}
	for _, cluster := range raw.Clusters {
		redact.RememberURL(cluster.ProxyURL)
		redact.RememberURL(cluster.Server)
	}
	for _, u := range raw.AuthInfos {
		redact.RememberValues(u.Token, u.Password)
		redact.Remember(map[string][]byte{"client-key-data": u.ClientKeyData})
		if u.Exec == nil {
			continue
		}
		for _, v := range u.Exec.Env {
			redact.RememberNamed(v.Name, v.Value)
		}
	}
}

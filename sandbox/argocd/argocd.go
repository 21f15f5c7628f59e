// Package argocd runs the vendor's own Argo CD beside the management cluster; make sandbox-gitops builds it. It plays
// what OpenShift GitOps' operator does for it: its namespace, the ArgoCD resource, and the config map made of that. In
// hosted clusters it plays what Argo CD waits for there (see hosted.go).
package argocd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/program"
)

const (
	// Namespace is that of OpenShift GitOps' own instance, which has its name.
	Namespace = "openshift-gitops"
	// resync is how often it looks for new commits, in seconds. Argo CD's own default is three minutes.
	resync = "5"
	// look is the time between two looks of what is played.
	look = time.Second
)

// Argo is Argo CD of one management cluster.
type Argo struct {
	// Client reads and writes the management cluster, without a cache.
	Client client.Client
	// Processes run its programs, with Kubeconfig, an administrator's.
	Processes  operator.Processes
	Kubeconfig string
	// Dir is a directory for its files.
	Dir string
	// Release is OpenShift's, such as 4.20.
	Release string
	// Operator is true where no operator of OpenShift GitOps will be installed: its ArgoCD is made at once then.
	Operator bool
	// Runner runs the Jobs of hosted clusters, which have no kubelet.
	Runner program.Runner
	Log    *slog.Logger
}

// Check fails if the programs are not built.
func Check() error {
	directory, err := libexec()
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(directory, "argocd-bin", "redis")); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no Argo CD in %s: run `make sandbox-gitops`, which builds it", directory)
	} else if err != nil {
		return fmt.Errorf("look for Argo CD: %w", err)
	}
	return nil
}

func libexec() (string, error) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return "", fmt.Errorf("find the sandbox's own binary: %w", err)
	}
	return filepath.Join(filepath.Dir(self), "sandbox-libexec"), nil
}

// child is one program of Argo CD.
type child struct {
	name string
	args []string
}

// Start makes what the programs need and starts them. They end with ctx.
func (a *Argo) Start(ctx context.Context) error {
	directory, err := libexec()
	if err != nil {
		return err
	}
	if err := a.install(ctx, directory); err != nil {
		return fmt.Errorf("install Argo CD: %w", err)
	}
	env, err := a.environment(directory)
	if err != nil {
		return err
	}
	children, err := a.programs(ctx)
	if err != nil {
		return err
	}
	for _, c := range children {
		if _, err := a.Processes.Keep(ctx, c.name, filepath.Join("argocd-bin", c.name), c.args, env); err != nil {
			return err
		}
	}
	return nil
}

// environment makes the directories that the programs want, and returns the variables that name them.
func (a *Argo) environment(directory string) ([]string, error) {
	env := []string{"ARGOCD_FAKE_IN_CLUSTER=true", "ARGOCD_GPG_ENABLED=false", "KUBECONFIG=" + a.Kubeconfig,
		// The repository server calls kustomize.
		"PATH=" + filepath.Join(directory, "argocd-bin") + string(os.PathListSeparator) + os.Getenv("PATH")}
	for variable, name := range map[string]string{"ARGOCD_TLS_DATA_PATH": "tls", "ARGOCD_SSH_DATA_PATH": "ssh",
		"ARGOCD_GNUPGHOME": "gpg", "TMPDIR": "tmp", "HOME": "home"} {
		dir := filepath.Join(a.Dir, name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make directory for Argo CD: %w", err)
		}
		env = append(env, variable+"="+dir)
	}
	return env, nil
}

// programs are redis, the repository server and both controllers. All listen on loopback.
func (a *Argo) programs(ctx context.Context) ([]child, error) {
	ports, err := freePorts(ctx, 7)
	if err != nil {
		return nil, err
	}
	at := func(i int) string { return net.JoinHostPort("127.0.0.1", ports[i]) }
	redis, repository := at(0), at(1)
	return []child{
		{"redis", []string{"--address", redis}},
		{"argocd-repo-server", []string{"--disable-tls", "--address", "127.0.0.1", "--port", ports[1], "--metrics-address",
			"127.0.0.1", "--metrics-port", ports[2], "--redis", redis, "--revision-cache-expiration", resync + "s"}},
		{"argocd-application-controller", []string{"--kubeconfig", a.Kubeconfig, "--namespace", Namespace, "--redis", redis,
			"--repo-server", repository, "--repo-server-plaintext", "--metrics-port", ports[3], "--app-resync", resync,
			"--app-resync-jitter", "0"}},
		{"argocd-applicationset-controller", []string{"--kubeconfig", a.Kubeconfig, "--namespace", Namespace,
			"--argocd-repo-server", repository, "--repo-server-plaintext", "--metrics-addr", at(4), "--probe-addr", at(5),
			"--webhook-addr", at(6)}},
	}, nil
}

// freePorts are ports on loopback that nobody listens on now.
func freePorts(ctx context.Context, n int) ([]string, error) {
	var ports []string
	for range n {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		defer l.Close() //nolint:errcheck // all are closed together, so that none comes twice
		_, port, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			return nil, err
		}
		ports = append(ports, port)
	}
	return ports, nil
}

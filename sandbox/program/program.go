// Package program runs the one program that containers of Jobs may have for real: the one that whoever starts the
// sandbox names. It runs on this machine, as the ServiceAccount of its pod and with nothing else of the cluster.
package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/sandbox/cluster/pki"
)

const (
	// tokenSeconds is the life of the ServiceAccount's token.
	tokenSeconds = 2 * 60 * 60
	// maxOutput is what is kept of the output: the kubelet's limit of a termination message.
	maxOutput = 4096
)

// Runner runs a program. The zero value runs none.
type Runner struct {
	// Path is the program; containers run it by its file's name as their command's first word.
	Path string
}

// Runs reports whether it is the container's program.
func (r Runner) Runs(c *corev1.Container) bool {
	return r.Path != "" && len(c.Command) > 0 && c.Command[0] == filepath.Base(r.Path)
}

// Run runs the container's command in a directory of its own until it ends or ctx does, with a kubeconfig that has a
// token of the ServiceAccount. It returns the exit code and the end of its output. admin may ask for the token.
func (r Runner) Run(ctx context.Context, admin *rest.Config, namespace string, spec *corev1.PodSpec) (code int32,
	output string) {
	dir, err := os.MkdirTemp("", "hcctl-sandbox-job-")
	if err != nil {
		return startFailed(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := writeLogin(ctx, admin, namespace, spec.ServiceAccountName, kubeconfig); err != nil {
		return startFailed(err)
	}
	c := &spec.Containers[0]
	env, args := arguments(c)
	cmd := exec.CommandContext(ctx, r.Path, args...) // #nosec G204 -- named by whoever starts the sandbox
	var out tail
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	cmd.Env = slices.Concat(env, []string{"HOME=" + dir, "KUBECONFIG=" + kubeconfig})
	var exit *exec.ExitError
	switch err := cmd.Run(); {
	case errors.As(err, &exit):
		return int32(exit.ExitCode()), out.String() //nolint:gosec // an exit code
	case err != nil:
		return startFailed(err)
	}
	return 0, out.String()
}

// startFailed is how a container ends that cannot start.
func startFailed(err error) (int32, string) { return 128, "cannot start: " + err.Error() }

// arguments are the container's environment, and its arguments with references such as $(NAME) filled in.
func arguments(c *corev1.Container) (env, args []string) {
	var pairs []string
	for _, v := range c.Env {
		env = append(env, v.Name+"="+v.Value)
		pairs = append(pairs, "$("+v.Name+")", v.Value)
	}
	fill := strings.NewReplacer(pairs...)
	for _, word := range append(append([]string{}, c.Command[1:]...), c.Args...) {
		args = append(args, fill.Replace(word))
	}
	return env, args
}

// writeLogin writes a kubeconfig with a token of the ServiceAccount.
func writeLogin(ctx context.Context, admin *rest.Config, namespace, account, path string) error {
	c, err := kubernetes.NewForConfig(admin)
	if err != nil {
		return err
	}
	if account == "" {
		account = "default"
	}
	answer, err := c.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, account, &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To(int64(tokenSeconds))},
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("token of ServiceAccount %s/%s: %w", namespace, account, err)
	}
	data, err := pki.TokenKubeconfig(admin.Host, admin.CAData, account, answer.Status.Token)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

// tail keeps the end of what is written.
type tail struct{ data []byte }

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.data = append(t.data, p...)
	t.data = t.data[max(0, len(t.data)-maxOutput):]
	return len(p), nil
}

func (t *tail) String() string { return string(t.data) }

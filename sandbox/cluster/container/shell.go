package container

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// notFound is the exit code of a shell for an unknown command.
const notFound = 127

// program runs a program and returns its exit code.
type program func(ctx context.Context, p *process) int

// Exec runs a command in a container and returns its exit code.
func (h *Host) Exec(ctx context.Context, pod *corev1.Pod, name string, cmd []string, stdin io.Reader,
	stdout, stderr io.Writer) (int, error) {
	f, err := h.filesOf(ctx, pod, name)
	if err != nil {
		return 0, err
	}
	if stdin == nil {
		stdin = strings.NewReader("")
	}
	return h.run(ctx, &process{host: h, pod: pod, files: f, args: cmd, stdin: stdin, stdout: stdout, stderr: stderr}), nil
}

func (h *Host) run(ctx context.Context, p *process) int {
	programs := map[string]program{
		"cat": cat, "rm": rm, "mkdir": mkdir, "mv": mv, "wc": wc, "sha256sum": sha256sum, "sync": succeed,
	}
	if p.host.isEtcdImage(ctx, p.pod) {
		programs["etcdctl"], programs["etcdutl"] = etcdctl, etcdutl
	}
	switch base := path.Base(p.args[0]); base {
	case "sh", "bash":
		return p.shell(ctx)
	case "env":
		rest := slices.Clone(p.args[1:])
		for len(rest) > 0 && strings.Contains(rest[0], "=") {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return 0
		}
		p.args = rest
		return h.run(ctx, p)
	default:
		if run, ok := programs[base]; ok {
			return run(ctx, p)
		}
		_, _ = fmt.Fprintf(p.stderr, "%s: command not found\n", p.args[0])
		return notFound
	}
}

// isEtcdImage reports whether the pod's first container has the image of the control plane's etcd.
func (h *Host) isEtcdImage(ctx context.Context, pod *corev1.Pod) bool {
	set := &appsv1.StatefulSet{}
	if err := h.Client.Get(ctx, client.ObjectKey{Namespace: pod.Namespace, Name: "etcd"}, set); err != nil {
		return false
	}
	return pod.Spec.Containers[0].Image == set.Spec.Template.Spec.Containers[0].Image
}

// shell interprets "sh -c SCRIPT [NAME [ARG]...]", also with options before the c.
func (p *process) shell(ctx context.Context) int {
	if len(p.args) < 3 || !strings.HasPrefix(p.args[1], "-") || !strings.HasSuffix(p.args[1], "c") {
		return p.fail(errors.New("the sandbox's shell takes -c SCRIPT only"))
	}
	script, err := syntax.NewParser().Parse(strings.NewReader(p.args[2]), p.args[0])
	if err != nil {
		return p.fail(err)
	}
	params := []string{"--"}
	if len(p.args) > 4 {
		params = append(params, p.args[4:]...)
	}
	if strings.Contains(p.args[1], "e") {
		params = append([]string{"-e"}, params...)
	}
	run, err := interp.New(
		interp.StdIO(p.stdin, p.stdout, p.stderr), interp.Env(expand.ListEnviron("PATH=/usr/bin:/bin", "HOME=/root")),
		interp.Params(params...), interp.Dir(p.files.root),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc {
			return func(ctx context.Context, args []string) error {
				c := interp.HandlerCtx(ctx)
				child := &process{host: p.host, pod: p.pod, files: p.files, args: args, stdin: c.Stdin, stdout: c.Stdout,
					stderr: c.Stderr}
				if code := p.host.run(ctx, child); code != 0 {
					return interp.ExitStatus(code) //nolint:gosec // an exit code
				}
				return nil
			}
		}),
		interp.OpenHandler(func(_ context.Context, name string, flag int, mode fs.FileMode) (io.ReadWriteCloser, error) {
			if name == os.DevNull {
				return os.OpenFile(os.DevNull, flag, mode)
			}
			return os.OpenFile(p.files.host(name), flag, mode)
		}),
		interp.StatHandler(func(_ context.Context, name string, follow bool) (fs.FileInfo, error) {
			if follow {
				return os.Stat(p.files.host(name))
			}
			return os.Lstat(p.files.host(name))
		}),
	)
	if err != nil {
		return p.fail(err)
	}
	err = run.Run(ctx, script)
	var status interp.ExitStatus
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return int(status)
	}
	return p.fail(err)
}

func succeed(context.Context, *process) int { return 0 }

// operands are the arguments that are not options, as paths of this machine.
func (p *process) operands() []string {
	var out []string
	for _, a := range p.args[1:] {
		if !strings.HasPrefix(a, "-") {
			out = append(out, p.files.host(a))
		}
	}
	return out
}

func cat(_ context.Context, p *process) int {
	names := p.operands()
	if len(names) == 0 {
		if _, err := io.Copy(p.stdout, p.stdin); err != nil {
			return p.fail(err)
		}
	}
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			return p.fail(err)
		}
		_, err = io.Copy(p.stdout, file)
		if err = errors.Join(err, file.Close()); err != nil {
			return p.fail(err)
		}
	}
	return 0
}

// wc counts bytes.
func wc(_ context.Context, p *process) int {
	n, err := io.Copy(io.Discard, p.stdin)
	if err != nil {
		return p.fail(err)
	}
	_, _ = fmt.Fprintln(p.stdout, n)
	return 0
}

func sha256sum(_ context.Context, p *process) int {
	sum := sha256.New()
	if _, err := io.Copy(sum, p.stdin); err != nil {
		return p.fail(err)
	}
	_, _ = fmt.Fprintf(p.stdout, "%x  -\n", sum.Sum(nil))
	return 0
}

func rm(_ context.Context, p *process) int {
	for _, name := range p.operands() {
		if err := os.RemoveAll(name); err != nil {
			return p.fail(err)
		}
	}
	return 0
}

func mkdir(_ context.Context, p *process) int {
	for _, name := range p.operands() {
		if err := os.MkdirAll(name, 0o700); err != nil {
			return p.fail(err)
		}
	}
	return 0
}

func mv(_ context.Context, p *process) int {
	names := p.operands()
	if len(names) != 2 {
		return p.fail(errors.New("the sandbox's mv takes two names"))
	}
	if err := os.Rename(names[0], names[1]); err != nil {
		return p.fail(err)
	}
	return 0
}

// Package podexec runs a command in a container through the API server, as oc exec does.
package podexec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/util/exec"
	"k8s.io/streaming/pkg/httpstream"

	"github.com/hcctl/hcctl/internal/sanitize"
)

// Command is a command to run in a container.
type Command struct {
	Namespace, Pod, Container string
	Args                      []string
	// Stdin may be nil. Stdout receives the output of the command; the caller has to limit its size.
	Stdin  io.Reader
	Stdout io.Writer
}

// maxErrors is the number of bytes of stderr that are kept.
const maxErrors = 4 << 10

// Error means that a command in a container exited with an error.
type Error struct {
	Where, Stderr string
	Code          int
}

func (e *Error) Error() string {
	text := fmt.Sprintf("the command in %s ended with exit code %d", e.Where, e.Code)
	if e.Stderr != "" {
		text += ": " + e.Stderr
	}
	return text
}

// Run runs the command and waits until it exits. It fails with *Error if the command fails, or with the error of the
// request. If ctx is canceled the connection is closed, but the command in the container may continue.
func Run(ctx context.Context, cfg *rest.Config, c Command) error {
	executor, err := executorFor(cfg, c)
	if err != nil {
		return err
	}
	stderr := &limitedBuffer{limit: maxErrors}
	if c.Stdout == nil {
		c.Stdout = io.Discard
	}
	err = executor.StreamWithContext(ctx, remotecommand.StreamOptions{Stdin: c.Stdin, Stdout: c.Stdout, Stderr: stderr})
	var ended exec.CodeExitError
	if errors.As(err, &ended) {
		return &Error{Where: fmt.Sprintf("container %s of pod %s/%s", c.Container, c.Namespace, c.Pod), Code: ended.Code,
			Stderr: lastLine(stderr.buffer.String())}
	}
	if err != nil {
		return fmt.Errorf("exec in pod %s/%s: %w", c.Namespace, c.Pod, err)
	}
	return nil
}

// executorFor uses WebSocket, and SPDY for an API server or proxy that does not support WebSocket, as kubectl does.
func executorFor(cfg *rest.Config, c Command) (remotecommand.Executor, error) {
	base, _, err := rest.DefaultServerUrlFor(cfg)
	if err != nil {
		return nil, err
	}
	query := url.Values{"container": {c.Container}, "command": c.Args, "stdout": {"true"}, "stderr": {"true"}}
	if c.Stdin != nil {
		query.Set("stdin", "true")
	}
	at := base.JoinPath("api/v1/namespaces", c.Namespace, "pods", c.Pod, "exec")
	at.RawQuery = query.Encode()
	web, err := remotecommand.NewWebSocketExecutor(cfg, http.MethodGet, at.String())
	if err != nil {
		return nil, err
	}
	spdy, err := remotecommand.NewSPDYExecutor(cfg, http.MethodPost, at)
	if err != nil {
		return nil, err
	}
	return remotecommand.NewFallbackExecutor(web, spdy, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	})
}

// lastLine returns the last line of a command's stderr for a message.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return sanitize.Line(lines[len(lines)-1])
}

// limitedBuffer keeps the first bytes that are written to it.
type limitedBuffer struct {
	buffer bytes.Buffer
	limit  int
}

func (l *limitedBuffer) Write(data []byte) (int, error) {
	if room := l.limit - l.buffer.Len(); room > 0 {
		_, _ = l.buffer.Write(data[:min(room, len(data))])
	}
	return len(data), nil
}

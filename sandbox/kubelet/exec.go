package kubelet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Containers run commands in containers.
type Containers interface {
	// Exec runs a command in a container and returns its exit code.
	Exec(ctx context.Context, pod *corev1.Pod, container string, cmd []string, stdin io.Reader,
		stdout, stderr io.Writer) (int, error)
	// Started is called before a pod becomes Running. As long as it fails, the pod stays Pending.
	Started(ctx context.Context, pod *corev1.Pod) error
}

const (
	// execIdle is the time without data after which a connection ends, as with a kubelet.
	execIdle = 4 * time.Hour
	// execStreams is the time that a client has to open the streams.
	execStreams = 30 * time.Second
)

// execProtocols are the versions of the protocol, the newest first.
var execProtocols = []string{"v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io"}

// answerExec runs a command as a kubelet does.
func answerExec(w http.ResponseWriter, r *http.Request, c client.Client, containers Containers) {
	pod := &corev1.Pod{}
	name, container := r.PathValue("pod"), r.PathValue("container")
	if err := c.Get(r.Context(), client.ObjectKey{Namespace: r.PathValue("namespace"), Name: name}, pod); err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	options, err := remotecommand.NewOptions(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	cmd := r.URL.Query()["command"]
	if status := containerStatus(pod, container); status == nil || status.State.Running == nil || len(cmd) == 0 {
		http.Error(w, fmt.Sprintf("unable to upgrade connection: container not found (%q)", container),
			http.StatusNotFound)
		return
	}
	remotecommand.ServeExec(w, r, &executor{containers, pod}, name, string(pod.UID), container, cmd, options, execIdle,
		execStreams, execProtocols)
}

type executor struct {
	containers Containers
	pod        *corev1.Pod
}

// ExecInContainer implements remotecommand.Executor.
func (e *executor) ExecInContainer(ctx context.Context, _, _, container string, cmd []string, in io.Reader,
	out, errs io.WriteCloser, _ bool, _ <-chan remotecommand.TerminalSize, _ time.Duration) error {
	code, err := e.containers.Exec(ctx, e.pod, container, cmd, in, orDiscard(out), orDiscard(errs))
	if err != nil || code == 0 {
		return err
	}
	return utilexec.CodeExitError{Err: errors.New("command terminated with exit code " + fmt.Sprint(code)), Code: code}
}

func orDiscard(w io.WriteCloser) io.Writer {
	if w == nil {
		return io.Discard
	}
	return w
}

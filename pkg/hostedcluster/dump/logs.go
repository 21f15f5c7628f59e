package dump

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// lineBytes is the assumed average length of a log line, because the kubelet takes a number of lines.
const lineBytes = 80

// logs collects the current and previous logs of the control plane's pods and of the HyperShift operator's.
func (d *Dump) logs(ctx context.Context) string {
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	for _, namespace := range []string{d.controlPlane(), hypershiftNamespace, addonNamespace} {
		var pods corev1.PodList
		d.request(ctx, "the pods of namespace "+namespace, func(ctx context.Context) error {
			err := d.client.List(ctx, &pods, client.InNamespace(namespace))
			if apierrors.IsForbidden(err) && d.noNamespace(ctx, namespace) {
				return nil
			}
			return err
		})
		for i := range pods.Items {
			for _, l := range logsOf(&pods.Items[i]) {
				wg.Go(func() {
					if d.log(ctx, l) {
						mu.Lock()
						defer mu.Unlock()
						n++
					}
				})
			}
		}
	}
	wg.Wait()
	return plural.Count(n, "log")
}

// podLog is one log of a container.
type podLog struct {
	namespace, pod, container string
	previous                  bool
}

// logsOf returns the logs of a pod. Containers that never ran have none, and only restarted ones have a previous one.
func logsOf(p *corev1.Pod) []podLog {
	var logs []podLog
	statuses := append(append(append([]corev1.ContainerStatus{}, p.Status.InitContainerStatuses...),
		p.Status.ContainerStatuses...), p.Status.EphemeralContainerStatuses...)
	for i := range statuses {
		s := &statuses[i]
		before := s.LastTerminationState.Terminated != nil
		if s.State.Running != nil || s.State.Terminated != nil || before {
			logs = append(logs, podLog{p.Namespace, p.Name, s.Name, false})
		}
		if before || s.RestartCount > 0 {
			logs = append(logs, podLog{p.Namespace, p.Name, s.Name, true})
		}
	}
	return logs
}

// log writes one log and reports whether there was any.
func (d *Dump) log(ctx context.Context, l podLog) bool {
	suffix, which := ".log", "log"
	if l.previous {
		suffix, which = ".previous.log", "previous log"
	}
	written := false
	what := fmt.Sprintf("the %s of container %s of pod %s/%s", which, l.container, l.namespace, l.pod)
	d.requestIn(ctx, d.largeSlots, requestTimeout, what, func(ctx context.Context) error {
		stream, err := d.client.Logs(ctx, l.namespace, l.pod, l.container, l.previous, max(1, d.options.LogBytes/lineBytes))
		if err != nil {
			return err
		}
		defer func() { _ = stream.Close() }()
		text, err := tail(stream, d.options.LogBytes)
		if len(text) == 0 {
			return err
		}
		written = true
		path := fmt.Sprintf("namespaces/%s/logs/%s/%s%s", l.namespace, fileName(l.pod), fileName(l.container), suffix)
		d.rendering.Lock()
		defer d.rendering.Unlock()
		return errors.Join(d.directory.write(path, []byte(d.redaction.Text(string(text)))), err)
	})
	return written
}

// tail reads to the end and returns the last bytes, from the beginning of a line. It also returns what it read before
// an error.
func tail(r io.Reader, limit int64) ([]byte, error) {
	var kept []byte
	cut := false
	buffer := make([]byte, 64<<10)
	for {
		n, err := r.Read(buffer)
		kept = append(kept, buffer[:n]...)
		if over := int64(len(kept)) - 2*limit; over > 0 {
			kept, cut = append(kept[:0], kept[int64(len(kept))-limit:]...), true
		}
		if err == nil {
			continue
		}
		if int64(len(kept)) > limit {
			kept, cut = kept[int64(len(kept))-limit:], true
		}
		if cut {
			if i := bytes.IndexByte(kept, '\n'); i >= 0 {
				kept = kept[i+1:]
			}
		}
		if errors.Is(err, io.EOF) {
			return kept, nil
		}
		return kept, err
	}
}

package dump

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// lineBytes is the assumed average length of a log line in bytes, because the kubelet limits logs by lines.
const lineBytes = 80

// logs collects the current and previous logs of the control plane's pods and of the operators that it depends on.
// Unhealthy pods come first, and among them those of the control plane.
func (d *Dump) logs(ctx context.Context) string {
	var pods []corev1.Pod
	for _, namespace := range append([]string{d.controlPlane()}, OperatorNamespaces...) {
		var list corev1.PodList
		d.request(ctx, "the pods of namespace "+namespace, func(ctx context.Context) error {
			err := d.client.List(ctx, &list, client.InNamespace(namespace))
			if apierrors.IsForbidden(err) && d.noNamespace(ctx, namespace) {
				return nil
			}
			return err
		})
		pods = append(pods, list.Items...)
	}
	n := d.writeLogs(ctx, d.largeSlots, worstFirst(pods, d.client.Now()), func(ctx context.Context, l podLog) error {
		return d.log(ctx, d.managementSource(), l)
	})
	return plural.Count(n, "log")
}

// worstFirst returns the logs of pods: first those of unhealthy pods, then those of restarted pods, then the others.
// Pods of equal state keep their order.
func worstFirst(pods []corev1.Pod, now time.Time) []podLog {
	grade := map[*corev1.Pod]int{}
	order := make([]*corev1.Pod, 0, len(pods))
	for i := range pods {
		pod := &pods[i]
		order = append(order, pod)
		switch v := health.Of(pod, now); {
		case v.Grade() == step.StateFailing || v.State == step.StateBroken:
		case !v.OK():
			grade[pod] = 1
		case slices.ContainsFunc(pod.Status.ContainerStatuses,
			func(s corev1.ContainerStatus) bool { return s.RestartCount > 0 }):
			grade[pod] = 2
		default:
			grade[pod] = 3
		}
	}
	slices.SortStableFunc(order, func(a, b *corev1.Pod) int { return grade[a] - grade[b] })
	var logs []podLog
	for _, pod := range order {
		logs = append(logs, logsOf(pod)...)
	}
	return logs
}

// writeLogs writes logs, started in their order, and returns the number of written logs. It stops early if the dump or
// the hosted cluster's part of it is full.
func (d *Dump) writeLogs(ctx context.Context, slots chan struct{}, logs []podLog,
	write func(context.Context, podLog) error) int {
	var wg sync.WaitGroup
	var n atomic.Int64
	var full atomic.Bool
	for i, l := range logs {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			wg.Wait()
			return int(n.Load())
		}
		if full.Load() {
			<-slots
			d.gap(fmt.Sprintf("the other %s, from %s on", plural.Count(len(logs)-i, "log"), l.describe()), errNoRoom)
			break
		}
		wg.Go(func() {
			defer func() { <-slots }()
			bounded, cancel := context.WithTimeout(ctx, requestTimeout)
			defer cancel()
			defer d.answered.Add(1)
			err := write(bounded, l)
			var none *emptyError
			var limit *FullError
			switch {
			case err == nil:
				n.Add(1)
			case errors.As(err, &none) || apierrors.IsNotFound(err) || ctx.Err() != nil:
			default:
				if errors.As(err, &limit) {
					full.Store(true)
				}
				d.gap(l.describe(), err)
			}
		})
	}
	wg.Wait()
	return int(n.Load())
}

// emptyError means that a log has no line.
type emptyError struct{}

func (*emptyError) Error() string { return "it is empty" }

// errNoRoom is the reason for the logs that are left out after a log that exceeded the limit.
var errNoRoom = errors.New("left out: there is no room for more")

// podLog is one log of a container. With a unit it is the journal of that unit on the node in pod, or a serial console.
type podLog struct {
	namespace, pod, container string
	previous                  bool
	unit                      string
}

// logsOf returns the logs of a pod. Containers that never ran have no log, and only restarted ones have a previous one.
func logsOf(p *corev1.Pod) []podLog {
	var logs []podLog
	statuses := append(append(append([]corev1.ContainerStatus{}, p.Status.InitContainerStatuses...),
		p.Status.ContainerStatuses...), p.Status.EphemeralContainerStatuses...)
	for i := range statuses {
		s := &statuses[i]
		terminated := s.LastTerminationState.Terminated != nil
		if s.State.Running != nil || s.State.Terminated != nil || terminated {
			logs = append(logs, podLog{namespace: p.Namespace, pod: p.Name, container: s.Name})
		}
		if terminated || s.RestartCount > 0 {
			previous := podLog{namespace: p.Namespace, pod: p.Name, container: s.Name, previous: true}
			logs = append(logs, previous)
		}
	}
	return logs
}

func (l podLog) describe() string {
	switch l.unit {
	case "":
	case "console":
		return fmt.Sprintf("the serial console of VirtualMachineInstance %s/%s", l.namespace, l.pod)
	default:
		return fmt.Sprintf("the journal of unit %s of node %s", l.unit, l.pod)
	}
	which := "log"
	if l.previous {
		which = "previous log"
	}
	return fmt.Sprintf("the %s of container %s of pod %s/%s", which, l.container, l.namespace, l.pod)
}

// validNames reports whether the names are valid names of a pod. They become parts of paths, and the tenant controls
// those from the hosted cluster.
func (l podLog) validNames() bool {
	return len(validation.IsDNS1123Label(l.namespace)) == 0 && len(validation.IsDNS1123Subdomain(l.pod)) == 0 &&
		len(validation.IsDNS1123Label(l.container)) == 0
}

// log writes one log of a cluster.
func (d *Dump) log(ctx context.Context, s source, l podLog) error {
	if !l.validNames() {
		return errName
	}
	suffix := ".log"
	if l.previous {
		suffix = ".previous.log"
	}
	stream, err := s.client.Logs(ctx, l.namespace, l.pod, l.container, l.previous, max(1, d.options.LogBytes/lineBytes))
	if err != nil {
		return err
	}
	return d.writeLog(stream, fmt.Sprintf("%snamespaces/%s/logs/%s/%s%s", s.base, l.namespace, l.pod, l.container, suffix))
}

// errName means that an object has a name that Kubernetes would reject.
var errName = errors.New("not asked for: this is no name of Kubernetes")

// writeLog writes the end of a log without secrets, with control characters escaped, and closes it. It keeps what was
// read before an error. It fails with *emptyError for a log without a line.
func (d *Dump) writeLog(stream io.ReadCloser, path string) error {
	defer func() { _ = stream.Close() }()
	text, err := tail(stream, d.options.LogBytes)
	if len(text) == 0 {
		return cmp.Or(err, error(&emptyError{}))
	}
	d.rendering.Lock()
	defer d.rendering.Unlock()
	shown := sanitize.Text(strings.ReplaceAll(d.redaction.Text(string(text)), "\r\n", "\n"))
	return errors.Join(d.directory.write(path, []byte(shown)), err)
}

// tail reads to the end and returns the last limit bytes, from the beginning of a line. It also returns what it read
// before an error.
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

package inspect

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
)

// Event is what Kubernetes reported of one object.
type Event struct {
	// Time is when it was last seen, Count how often.
	Time  time.Time `json:"time"`
	Count int32     `json:"count"`
	// Type is Normal or Warning.
	Type      string `json:"type"`
	Namespace string `json:"namespace"`
	// Object is "Kind/name".
	Object  string `json:"object"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// EventOptions say which events are meant.
type EventOptions struct {
	// Warnings leaves out what is normal. Since leaves out what is older; zero means all there are. Kubernetes keeps
	// events for three hours on OpenShift.
	Warnings bool
	Since    time.Duration
}

// Events returns the events of a hosted cluster, the oldest first: those of its control plane's namespace, and those of
// its HostedCluster and NodePools. It fails with *hostedcluster.NotFoundError if there is neither a HostedCluster nor
// an event of one, and with the error of a read.
func Events(ctx context.Context, r kube.Reader, namespace, name string, opt EventOptions) ([]Event, error) {
	var wg sync.WaitGroup
	var own, inside []corev1.Event
	var ownErr, insideErr, poolsErr error
	list := func(namespace string) ([]corev1.Event, error) {
		return kube.ListAll(ctx, r, &corev1.EventList{}, func(l *corev1.EventList) []corev1.Event { return l.Items },
			client.InNamespace(namespace))
	}
	pools := map[string]bool{}
	wg.Go(func() { own, ownErr = list(namespace) })
	wg.Go(func() { inside, insideErr = list(hostedcluster.ControlPlaneNamespace(namespace, name)) })
	wg.Go(func() { poolsErr = readPools(ctx, r, namespace, name, pools) })
	_, err := hostedcluster.Find(ctx, r, namespace, name)
	wg.Wait()
	for _, failed := range []error{ownErr, insideErr, poolsErr} {
		if failed != nil {
			return nil, failed
		}
	}
	mine := func(e *corev1.Event) bool {
		kind, of := e.InvolvedObject.Kind, e.InvolvedObject.Name
		return kind == hostedcluster.HostedClusterKind && of == name || kind == hostedcluster.NodePoolKind && pools[of]
	}
	own = slices.DeleteFunc(own, func(e corev1.Event) bool { return !mine(&e) })
	if err != nil && len(own)+len(inside) == 0 {
		return nil, err
	}
	var out []Event
	for _, e := range append(own, inside...) {
		seen := health.EventOf(&e)
		if opt.Warnings && e.Type != corev1.EventTypeWarning || opt.Since > 0 && r.Now().Sub(seen.Last) > opt.Since {
			continue
		}
		out = append(out, Event{Time: seen.Last, Count: seen.Count, Type: sanitize.Value(e.Type), Namespace: e.Namespace,
			Object: sanitize.Value(e.InvolvedObject.Kind + "/" + e.InvolvedObject.Name), Reason: seen.Reason,
			Message: seen.Message})
	}
	slices.SortStableFunc(out, func(a, b Event) int {
		return cmp.Or(a.Time.Compare(b.Time), strings.Compare(a.Object, b.Object))
	})
	return out, nil
}

// readPools adds the names of a cluster's NodePools.
func readPools(ctx context.Context, r kube.Reader, namespace, name string, names map[string]bool) error {
	all, err := hostedcluster.Pools(ctx, r, namespace, name)
	for i := range all {
		names[all[i].Name] = true
	}
	return err
}

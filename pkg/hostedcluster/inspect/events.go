package inspect

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
)

// EventOptions select events.
type EventOptions struct {
	// Warnings leaves out normal events. Since leaves out older events; zero means no limit. OpenShift keeps events for
	// three hours.
	Warnings bool
	Since    time.Duration
}

// Events returns the events of a hosted cluster, the oldest first: those of its control plane's namespace, and those of
// its HostedCluster and NodePools. It returns a *hostedcluster.NotFoundError if there is neither a HostedCluster nor an
// event of one, or the error of a read.
func Events(ctx context.Context, r kube.Reader, namespace, name string, opt EventOptions) ([]health.Event, error) {
	var wg sync.WaitGroup
	var own, inside []corev1.Event
	var ownErr, insideErr, poolsErr error
	pools := map[string]bool{}
	wg.Go(func() { own, ownErr = list(ctx, r, namespace) })
	wg.Go(func() { inside, insideErr = list(ctx, r, hostedcluster.ControlPlaneNamespace(namespace, name)) })
	wg.Go(func() {
		var all []hyperv1.NodePool
		all, poolsErr = hostedcluster.Pools(ctx, r, namespace, name)
		for i := range all {
			pools[all[i].Name] = true
		}
	})
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
	var out []health.Event
	for _, e := range append(own, inside...) {
		seen := health.EventOf(&e)
		if opt.Warnings && e.Type != corev1.EventTypeWarning || opt.Since > 0 && r.Now().Sub(seen.Time) > opt.Since {
			continue
		}
		out = append(out, seen)
	}
	slices.SortStableFunc(out, func(a, b health.Event) int {
		return cmp.Or(a.Time.Compare(b.Time), strings.Compare(a.Object, b.Object))
	})
	return out, nil
}

// list reads the events of a namespace, page by page.
func list(ctx context.Context, r kube.Reader, namespace string) ([]corev1.Event, error) {
	return kube.ListAll(ctx, r, &corev1.EventList{}, func(l *corev1.EventList) []corev1.Event { return l.Items },
		client.InNamespace(namespace))
}

package cluster

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/operator"
)

// At speed 1 the delays are those of Kubernetes. However fast, a namespace is not emptied at once, and what something
// holds is not looked at all the time.
func TestDelaysOfNamespaces(t *testing.T) {
	for _, c := range []struct {
		speed        float64
		estimate     int64
		grace, retry time.Duration
	}{
		{1, 15, 5 * time.Second, 8 * time.Second},
		{1, 2, 5 * time.Second, 2 * time.Second},
		{2, 15, 2500 * time.Millisecond, 4 * time.Second},
		{20, 15, time.Second, 3 * time.Second},
		{20, 60, time.Second, 3 * time.Second},
		{20, 1, time.Second, time.Second},
	} {
		n := &namespaces{pace: operator.Pace{Speed: c.speed}}
		if grace, retry := n.grace(), n.retry(c.estimate); grace != c.grace || retry != c.retry {
			t.Errorf("speed %v, estimate %d: grace %s, retry %s, want %s, %s", c.speed, c.estimate, grace, retry, c.grace,
				c.retry)
		}
	}
}

// A namespace that is deleted while the API server is away is tried again.
func TestNamespaceWithoutAPIServer(t *testing.T) {
	kube, err := kubernetes.NewForConfig(&rest.Config{Host: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	n := &namespaces{kube: kube}
	_, err = n.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: "going"}})
	if err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("%v", err)
	}
}

package main_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Many hosted clusters without API servers become available like any other. HCCTL_SANDBOX_FLEET sets their number, to
// measure the cost of a hundred.
func TestFleet(t *testing.T) {
	t.Parallel()
	size := 6
	if n, err := strconv.Atoi(os.Getenv("HCCTL_SANDBOX_FLEET")); err == nil {
		size = n
	}
	began := time.Now()
	r := launch(t, t.TempDir(), "--profile", "ready", "--speed", "50", "--fleet")
	h := hostOf(t, r.dir)
	t.Logf("ready after %s: %s of processor time, %d MB", time.Since(began).Round(time.Second), r.worked(t),
		r.resident(t)/1_000_000)
	began = time.Now()
	var clusters []*hyperv1.HostedCluster
	for i := range size {
		name := fmt.Sprintf("kv-%02d", i)
		clusters = append(clusters, h.cluster(name, "4.20.3"))
		h.pool(name, name, "4.20.3", 1)
	}
	for _, hc := range clusters {
		awaits(h, hc, time.Minute+time.Duration(size)*10*time.Second, completed("4.20.3"))
		if what := says(hc, hyperv1.HostedClusterAvailable, "True AsExpected"); what != "" {
			t.Errorf("%s: %s", hc.Name, what)
		}
	}
	answersReady(h, clusters[0])
	t.Logf("%d clusters after %s: %s of processor time, %d MB", size, time.Since(began).Round(time.Second), r.worked(t),
		r.resident(t)/1_000_000)
	change(h, clusters[0], func(hc *hyperv1.HostedCluster) { hc.Spec.Release = releaseOf("4.20.8") })
	awaits(h, clusters[0], time.Minute, completed("4.20.8"))
	h.must(h.Delete(t.Context(), clusters[0]))
	eventually(t, time.Minute, func() error {
		list := &hyperv1.HostedClusterList{}
		if err := h.List(t.Context(), list); err != nil || len(list.Items) != size-1 {
			return fmt.Errorf("%d clusters are left: %w", len(list.Items), err)
		}
		return nil
	})
}

// answersReady checks that the API server of a hosted cluster answers /readyz to its admin kubeconfig.
func answersReady(h *host, hc *hyperv1.HostedCluster) {
	h.t.Helper()
	secret := &corev1.Secret{}
	h.must(h.Get(h.t.Context(), client.ObjectKey{Namespace: hc.Namespace, Name: hc.Status.KubeConfig.Name}, secret))
	config, err := clientcmd.RESTConfigFromKubeConfig(secret.Data["kubeconfig"])
	h.must(err)
	hosted, err := kubernetes.NewForConfig(config)
	h.must(err)
	if raw, err := hosted.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(h.t.Context()); err != nil ||
		string(raw) != "ok" {
		h.t.Errorf("%s: /readyz says %q, %v", hc.Name, raw, err)
	}
	if _, err := hosted.CoreV1().Nodes().List(h.t.Context(), metav1.ListOptions{}); !apierrors.IsServiceUnavailable(err) {
		h.t.Errorf("%s: its nodes: %v, want service unavailable", hc.Name, err)
	}
}

// worked returns the processor time of a sandbox's live processes.
func (r *running) worked(t *testing.T) time.Duration {
	t.Helper()
	const tick = 10 * time.Millisecond // USER_HZ is 100 on every Linux
	var sum time.Duration
	for _, pid := range r.tree(t) {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // the process has ended
		}
		_, rest, _ := strings.Cut(string(raw), ") ")
		fields := strings.Fields(rest)
		for _, f := range fields[11:13] { // the fields utime and stime
			n, err := strconv.Atoi(f)
			if err != nil {
				t.Fatal(err)
			}
			sum += time.Duration(n) * tick
		}
	}
	return sum
}

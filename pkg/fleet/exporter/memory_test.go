package exporter

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// BenchmarkMemory measures what an exporter of 5,000 hosted clusters with a node pool each holds, and what it takes at
// most while it reads them for the first time and answers (docs/scale.md). The objects have the size of real ones: 25
// conditions with messages, a spec, and managed fields of 8 kB.
func BenchmarkMemory(b *testing.B) {
	const clusters = 5000
	for b.Loop() {
		server := httptest.NewServer(large(b, clusters))
		c, err := kube.New(&rest.Config{Host: server.URL})
		if err != nil {
			b.Fatal(err)
		}
		before := heap()
		f, err := New(Options{MaxClusters: clusters}, started)
		if err != nil {
			b.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- f.Follow(b.Context(), c, func(error) {}) }()
		select {
		case <-f.ready:
		case err := <-ended:
			b.Fatal(err)
		}
		for range 3 {
			if err := f.Write(io.Discard, now); err != nil {
				b.Fatal(err)
			}
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapSys-m.HeapReleased)/(1<<20), "MiB-most")
		b.ReportMetric(float64(heap()-before)/(1<<20), "MiB-held")
		b.ReportMetric(float64(len(f.clusters)), "clusters")
		server.CloseClientConnections()
		server.Close()
	}
}

// heap is what is in use after a collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// large answers as an API server with n hosted clusters, page by page, and with watches in which nothing happens.
func large(b *testing.B, n int) http.Handler {
	b.Helper()
	hc := well("clusters", "NAME")
	hc.UID = "11111111-2222-3333-4444-NAME"
	hc.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "hypershift-operator", FieldsV1: metav1.NewFieldsV1(
		`{"f:status":{"f:` + strings.Repeat("x", 8<<10) + `":{}}}`)}}
	hc.Spec.Platform.Kubevirt = &hyperv1.KubevirtPlatformSpec{BaseDomainPassthrough: new(bool)}
	hc.Spec.Release.Image, hc.Spec.InfraID = "quay.io/openshift-release-dev/ocp-release:4.20.3-multi", "NAME-x7k2p"
	for i := range 20 {
		hc.Status.Conditions = append(hc.Status.Conditions, conditions(ago(time.Hour), fmt.Sprintf("Valid%d True AsExpected", i))...)
		hc.Status.Conditions[len(hc.Status.Conditions)-1].Message = "All is well" + strings.Repeat(".", 60)
	}
	np := pool(hc, 2, 2)
	np.ManagedFields = hc.ManagedFields
	kinds := map[string]string{}
	for plural, object := range map[string]client.Object{"hostedclusters": hc, "nodepools": np} {
		raw, err := json.Marshal(object)
		if err != nil {
			b.Fatal(err)
		}
		kinds[plural] = strings.Replace(string(raw), "{", `{"apiVersion":"hypershift.openshift.io/v1beta1","kind":"`+
			map[string]string{"hostedclusters": "HostedCluster", "nodepools": "NodePool"}[plural]+`",`, 1)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		plural := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		object, ok := kinds[plural]
		switch q := r.URL.Query(); {
		case r.URL.Path == "/apis/hypershift.openshift.io/v1beta1":
			_, _ = io.WriteString(w, `{"kind":"APIResourceList","groupVersion":"hypershift.openshift.io/v1beta1","resources":[`+
				`{"name":"hostedclusters","kind":"HostedCluster","namespaced":true,"verbs":["list","watch"]},`+
				`{"name":"nodepools","kind":"NodePool","namespaced":true,"verbs":["list","watch"]}]}`)
		case !ok:
			http.NotFound(w, r)
		case q.Get("watch") != "":
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		default:
			first, _ := strconv.Atoi(q.Get("continue"))
			limit, _ := strconv.Atoi(q.Get("limit"))
			last := n
			if limit > 0 {
				last = min(n, first+limit)
			}
			next := ""
			if last < n {
				next = strconv.Itoa(last)
			}
			_, _ = fmt.Fprintf(w, `{"apiVersion":"hypershift.openshift.io/v1beta1","kind":"List","metadata":`+
				`{"resourceVersion":"1","continue":%q},"items":[`, next)
			for i := first; i < last; i++ {
				if i > first {
					_, _ = io.WriteString(w, ",")
				}
				_, _ = io.WriteString(w, strings.ReplaceAll(object, "NAME", fmt.Sprintf("kv-%04d", i)))
			}
			_, _ = io.WriteString(w, "]}")
		}
	})
}

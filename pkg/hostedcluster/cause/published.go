package cause

import (
	"context"
	"time"

	routev1 "github.com/openshift/api/route/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/kube/metallb"
)

// Published explains why the control plane or *.apps cannot be reached: by Services without an address or endpoints,
// and by Routes that no router admits.
func (w *Walker) Published(ctx context.Context) []Symptom {
	var out []Symptom
	services, _ := once(w, "services", func() ([]corev1.Service, error) {
		return kube.ListAll(ctx, w.management, &corev1.ServiceList{},
			func(l *corev1.ServiceList) []corev1.Service { return l.Items }, w.inNamespace())
	})
	for i := range services {
		s := Symptom{Verdict: health.Of(&services[i], w.now())}
		if s.OK() && hostedcluster.LeadsToWorkers(&services[i]) {
			s.Verdict = w.mirror(ctx, &services[i])
		}
		if !s.OK() {
			e, found := w.warning(ctx, "Service", services[i].Name)
			symptom := w.withEvent(s, e, found)
			if awaitsAddress(&services[i]) && w.now().Sub(services[i].CreationTimestamp.Time) > addressDelay {
				if refused := w.refusedByMetalLB(ctx); len(refused) > 0 {
					symptom.Message, symptom.Trouble = refused[0]+"; "+symptom.Message, true
				}
			}
			out = append(out, symptom)
		}
	}
	routes, _ := once(w, "routes", func() ([]routev1.Route, error) {
		return kube.ListAll(ctx, w.management, &routev1.RouteList{},
			func(l *routev1.RouteList) []routev1.Route { return l.Items }, w.inNamespace())
	})
	for i := range routes {
		if s := (Symptom{Verdict: health.Of(&routes[i], w.now())}); !s.OK() {
			out = append(out, s)
		}
	}
	return limitBelow(out)
}

func awaitsAddress(s *corev1.Service) bool {
	return s.Spec.Type == corev1.ServiceTypeLoadBalancer && len(s.Status.LoadBalancer.Ingress) == 0
}

// addressDelay is the time that a Service may wait for an address before MetalLB's configuration states are read.
const addressDelay = 15 * time.Second

func (w *Walker) refusedByMetalLB(ctx context.Context) []string {
	refused, _ := once(w, "configurationstates", func() ([]string, error) {
		home, err := metallb.Home(ctx, w.management)
		return metallb.Refused(ctx, w.management, home), err
	})
	return refused
}

// mirror judges a Service that leads to the worker VMs with its EndpointSlices. The hosted cluster's config operator
// writes them if the Service has no selector.
func (w *Walker) mirror(ctx context.Context, s *corev1.Service) health.Verdict {
	slices, err := once(w, "endpointslices", func() ([]unstructured.Unstructured, error) {
		return kube.ListAll(ctx, w.management, kube.EndpointSlice.NewList(),
			func(l *unstructured.UnstructuredList) []unstructured.Unstructured { return l.Items }, w.inNamespace())
	})
	if err != nil {
		return health.Of(s, w.now())
	}
	v := health.Of(s, w.now(), health.Endpoints(slices))
	if v.OK() {
		return v
	}
	if of := hostedcluster.MirroredService(s); of != "" {
		v.Message = "it stands for Service " + sanitize.Value(of) + " of the hosted cluster: " + v.Message
	}
	v.Hint = hint.New("%s; %s", hint.Run("logs", hostedcluster.Argument(w.hc.Namespace, w.hc.Name),
		"hosted-cluster-config-operator"), hint.Run("docs", "troubleshooting"))
	return v
}

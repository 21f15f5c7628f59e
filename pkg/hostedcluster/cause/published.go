package cause

import (
	"context"

	routev1 "github.com/openshift/api/route/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
)

// Published explains why the control plane is not reached: by its Services without an address and its Routes that no
// router admits.
func (w *Walker) Published(ctx context.Context) []Symptom {
	var out []Symptom
	services, _ := once(w, "services", func() ([]corev1.Service, error) {
		return kube.ListAll(ctx, w.management, &corev1.ServiceList{},
			func(l *corev1.ServiceList) []corev1.Service { return l.Items }, w.inside())
	})
	for i := range services {
		s := Symptom{Verdict: health.Of(&services[i], w.now())}
		if !s.OK() {
			e, found := w.warning(ctx, "Service", services[i].Name)
			out = append(out, w.with(s, e, found))
		}
	}
	routes, _ := once(w, "routes", func() ([]routev1.Route, error) {
		return kube.ListAll(ctx, w.management, &routev1.RouteList{},
			func(l *routev1.RouteList) []routev1.Route { return l.Items }, w.inside())
	})
	for i := range routes {
		if s := (Symptom{Verdict: health.Of(&routes[i], w.now())}); !s.OK() {
			out = append(out, s)
		}
	}
	return first(out)
}

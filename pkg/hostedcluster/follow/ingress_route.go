package follow

import (
	"context"
	"fmt"

	routev1 "github.com/openshift/api/route/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// appsRoute passes TLS of *.apps.<name>.<base domain> from the management cluster's router to the hosted cluster's.
// Plain HTTP cannot be passed through.
func appsRoute(hc *hyperv1.HostedCluster) *routev1.Route {
	r := &routev1.Route{
		TypeMeta: metav1.TypeMeta{APIVersion: routev1.GroupVersion.String(), Kind: "Route"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: hostedcluster.ControlPlaneNamespace(hc.Namespace, hc.Name), Name: passthroughName("route", hc),
			Labels: map[string]string{hyperv1.InfraIDLabel: hc.Spec.InfraID},
		},
		Spec: routev1.RouteSpec{
			Host:           fmt.Sprintf("https.apps.%s.%s", hc.Name, hc.Spec.DNS.BaseDomain),
			WildcardPolicy: routev1.WildcardPolicySubdomain,
			TLS:            &routev1.TLSConfig{Termination: routev1.TLSTerminationPassthrough},
			To: routev1.RouteTargetReference{
				Kind:   "Service",
				Name:   passthroughName("service", hc),
				Weight: ptr.To[int32](100),
			},
		},
	}
	hostedcluster.MarkFor(hc).SetOn(r)
	return r
}

// routeAdmitted is OK when a router of the management cluster serves the Route.
func (f *Cluster) routeAdmitted(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
	if hc.Spec.DNS.BaseDomain == "" {
		return step.Pending("the operator has not filled in spec.dns.baseDomain yet").On("HostedCluster %s", f.key())
	}
	want, have := appsRoute(hc), &routev1.Route{}
	object := "Route " + kube.Name(want)
	err := r.Get(ctx, client.ObjectKeyFromObject(want), have)
	switch {
	case apierrors.IsNotFound(err):
		return step.Missing("does not exist; host %s", want.Spec.Host).On("%s", object)
	case err != nil:
		return kube.Unknown(err).On("%s", object)
	case have.Spec.Host != want.Spec.Host || have.Spec.To.Name != want.Spec.To.Name:
		return step.Broken("is another's: host %s, Service %s; expected %s and %s", have.Spec.Host, have.Spec.To.Name,
			want.Spec.Host, want.Spec.To.Name).On("%s", object).
			WithHint("a Route's host cannot be changed: delete it, if nobody needs it, and run the same command again")
	}
	v := health.Of(have, r.Now())
	if v.OK() {
		return step.OK("*.apps.%s.%s passes through", hc.Name, hc.Spec.DNS.BaseDomain).On("%s", object)
	}
	waits := step.Pending("%s", v.Message).On("%s", object)
	if v.Trouble {
		return waits.WithHint("wildcard Routes have to be allowed: %s", hint.Run("check").Flag("only", "ingress"))
	}
	return waits
}

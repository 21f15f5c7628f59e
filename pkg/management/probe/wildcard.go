package probe

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	routev1 "github.com/openshift/api/route/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	ingressNamespace = kube.IngressNamespace
	defaultIngress   = kube.IngressControllerName
)

func wildcard() Probe {
	return Probe{
		ID: "probe/wildcard", Title: "wildcard Route", Name: Wildcard,
		Rights: []access.Rule{
			{Verbs: "get", Resources: "ingresses.config.openshift.io", Names: "cluster", Why: "the domain of Routes"},
			{Verbs: "get", Resources: "ingresscontrollers.operator.openshift.io", Names: defaultIngress,
				At: access.In(ingressNamespace), Why: "how the default ingress is published"},
			{Verbs: "create", Resources: "services", Why: "what the Route leads to"},
			{Verbs: "create list watch", Resources: "routes.route.openshift.io", Why: "a wildcard Route, and which router " +
				"admits it"},
			{Verbs: "create", Resources: "routes/custom-host.route.openshift.io", Why: "a Route with a host of its own"},
		},
		Run: func(ctx context.Context, s *session) step.Finding { return s.tryWildcard(ctx) },
	}
}

func wildcardName() Probe {
	return Probe{
		ID: "probe/wildcard-name", Title: "wildcard name", Name: Wildcard, Severity: step.Advisory,
		Rights: []access.Rule{{Verbs: "get", Resources: "ingresses.config.openshift.io", Names: "cluster",
			Why: "the domain of Routes"}},
		Run: func(ctx context.Context, s *session) step.Finding { return s.tryName(ctx) },
	}
}

// domain returns the domain of Routes.
func (s *session) domain(ctx context.Context) (string, *step.Finding) {
	ingress := &configv1.Ingress{}
	if err := s.client.Get(ctx, types.NamespacedName{Name: "cluster"}, ingress); err != nil {
		f := failure(err).On("Ingress cluster")
		return "", &f
	}
	if !hostName.MatchString(ingress.Spec.Domain) {
		f := step.Broken("spec.domain is not a DNS name: %q", short(ingress.Spec.Domain)).On("Ingress cluster")
		return "", &f
	}
	return ingress.Spec.Domain, nil
}

// tryWildcard creates a Route like HyperShift's for *.apps of a hosted cluster, and waits for the default router.
func (s *session) tryWildcard(ctx context.Context) step.Finding {
	domain, f := s.domain(ctx)
	if f != nil {
		return *f
	}
	object := "IngressController " + ingressNamespace + "/" + defaultIngress
	ic, err := kube.ReadDefaultIngress(ctx, s.client)
	switch {
	case apierrors.IsNotFound(err):
		return step.Broken("there is no default IngressController").On("%s", object).
			WithHint("oc get clusteroperator ingress")
	case err != nil:
		return failure(err).On("%s", object)
	}
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "apps"},
		Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: "https", Port: 443,
			TargetPort: intstr.FromInt32(443)}}},
	}
	route := wildcardRoute(s.namespace, domain)
	for _, o := range []client.Object{service, route} {
		if err := s.create(ctx, o); err != nil {
			return failure(err).On("%s", object)
		}
	}
	return s.await(ctx, func(ctx context.Context, r kube.Reader) step.Finding {
		now := &routev1.Route{}
		if err := r.Get(ctx, client.ObjectKeyFromObject(route), now); err != nil {
			return kube.Unknown(err)
		}
		return judgeAdmission(now, ic, r.Now())
	}).On("%s", object)
}

// wildcardRoute returns a Route like that of a hosted cluster's passthrough, with the label that selectors may require.
func wildcardRoute(namespace, domain string) *routev1.Route {
	return &routev1.Route{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "apps",
			Labels: map[string]string{hostedcluster.InfraLabel: namespace}},
		Spec: routev1.RouteSpec{
			Host: "https.apps." + namespace + "." + domain, WildcardPolicy: routev1.WildcardPolicySubdomain,
			To:   routev1.RouteTargetReference{Kind: "Service", Name: "apps"},
			Port: &routev1.RoutePort{TargetPort: intstr.FromString("https")},
			TLS: &routev1.TLSConfig{Termination: routev1.TLSTerminationPassthrough,
				InsecureEdgeTerminationPolicy: routev1.InsecureEdgeTerminationPolicyNone},
		},
	}
}

// judgeAdmission reports whether the default router serves a Route. Other routers (shards) may serve it too.
func judgeAdmission(route *routev1.Route, ic *kube.DefaultIngress, now time.Time) step.Finding {
	var shards []string
	for _, i := range route.Status.Ingress {
		if i.RouterName != defaultIngress && health.Of(route, now, health.Router(i.RouterName)).OK() {
			shards = append(shards, i.RouterName)
		}
	}
	switch v := health.Of(route, now, health.Router(defaultIngress)); {
	case v.Trouble:
		return step.Broken("a wildcard Route: %s", short(v.Message)).
			WithHint("%s", hint.Run("bootstrap").Flag("only", "ingress/wildcard"))
	case !v.OK():
		waiting := "the router says nothing about a wildcard Route"
		if len(shards) > 0 {
			waiting += fmt.Sprintf("; only shard %s admits it", short(strings.Join(shards, ", ")))
		}
		if ic.Spec.RouteSelector != nil || ic.Spec.NamespaceSelector != nil {
			waiting += "; its routeSelector or namespaceSelector may leave it out"
		}
		return step.Pending("%s", waiting).WithHint("%s", hint.Run("check").Flag("only", "ingress"))
	}
	words := "a wildcard Route is admitted"
	if len(shards) > 0 {
		words += fmt.Sprintf(", by shard %s as well", short(strings.Join(shards, ", ")))
	}
	if ic.Status.EndpointPublishingStrategy.Type == kube.PrivateStrategy {
		words += "; but OpenShift publishes no address for it (Private), so somebody has to"
	}
	return step.OK("%s", words)
}

// tryName resolves a name below *.apps on this machine and in a pod.
func (s *session) tryName(ctx context.Context) step.Finding {
	domain, f := s.domain(ctx)
	if f != nil {
		return *f
	}
	// A random name is in no cache, and only a wildcard record answers it.
	name := s.namespace + "." + domain
	image, f := s.image(ctx)
	if f != nil {
		return *f
	}
	_, inside := s.runPod(ctx, s.pod("resolver", image, fmt.Sprintf(
		`getent hosts %[1]s || { echo "%[1]s does not resolve"; exit 1; }`, name)))
	bounded, cancel := context.WithTimeout(ctx, lookInterval)
	defer cancel()
	addresses, err := net.DefaultResolver.LookupHost(bounded, name)
	const object = "Ingress cluster"
	hint := hint.New("make a DNS record *.%s that points to the address of the ingress, for those who use the "+
		"clusters and for the nodes", domain)
	switch {
	case inside.State != step.StateOK && inside.State != step.StateBroken:
		return inside
	case err != nil && inside.State == step.StateOK:
		return step.Broken("*.%s resolves inside the cluster, but not from where hcctl runs", domain).On(object).
			WithHint("%s", hint)
	case err != nil:
		return step.Broken("*.%s resolves neither from where hcctl runs nor inside the cluster", domain).On(object).
			WithHint("%s", hint)
	case inside.State != step.StateOK:
		return step.Broken("*.%s resolves from where hcctl runs (%s), but not inside the cluster: %s", domain,
			short(strings.Join(addresses, ", ")), inside.Message).On(object).WithHint("%s", hint)
	}
	return step.OK("*.%s resolves to %s, and inside the cluster", domain, short(strings.Join(addresses, ", "))).On(object)
}

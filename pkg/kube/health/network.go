package health

import (
	"fmt"
	"slices"
	"strings"
	"time"

	routev1 "github.com/openshift/api/route/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// judgeService judges a Service: type LoadBalancer needs an address and, if EndpointSlices are given, a ready endpoint.
func judgeService(u *unstructured.Unstructured, v Verdict, f *facts) Verdict {
	v.Hint = Describe(u)
	balanced := kube.Text(u, "spec", "type") == string(corev1.ServiceTypeLoadBalancer)
	if balanced && len(kube.Maps(u, "status", "loadBalancer", "ingress")) == 0 {
		v.Since = u.GetCreationTimestamp().Time
		return v.with(step.StatePending, "NoAddress", "it is of type LoadBalancer and has no address")
	}
	if c := kube.FindCondition(kube.Conditions(u), corev1.LoadBalancerPortsError); c.True() {
		return v.because(step.StatePending, c).inTrouble()
	}
	if !f.endpoints || kube.Text(u, "spec", "type") == string(corev1.ServiceTypeExternalName) {
		return v
	}
	return judgeEndpoints(u, v, f.slices)
}

// judgeEndpoints judges the endpoints of a Service. Only the first address of an endpoint has a meaning in Kubernetes
// (discovery/v1), but some network plugins send traffic to all. With externalTrafficPolicy Local a node accepts only
// traffic for an endpoint that names this node.
func judgeEndpoints(u *unstructured.Unstructured, v Verdict, slices []unstructured.Unstructured) Verdict {
	e := endpointsOf(u, slices)
	local := kube.Text(u, "spec", "externalTrafficPolicy") == string(corev1.ServiceExternalTrafficPolicyLocal)
	selector, _, _ := unstructured.NestedMap(u.Object, "spec", "selector")
	switch {
	case e.all == 0 && len(selector) == 0:
		return v.with(step.StatePending, noEndpoints, "it has no endpoints: it has no selector, and nobody has written "+
			"EndpointSlices for it").inTrouble()
	case e.all == 0:
		return v.with(step.StatePending, noEndpoints, "it has no endpoints: no pod has the labels of its selector").
			inTrouble()
	case e.ready == 0:
		return v.with(step.StatePending, "NoReadyEndpoints", "none of its %s is ready", plural.Count(e.all, "endpoint")).
			inTrouble()
	case e.second != "":
		return v.with(step.StatePending, "TwoAddresses", "EndpointSlice %s has an endpoint with more than one address: "+
			"connections that go to %s may end there", e.slice, e.second).inTrouble()
	case local && e.placed == 0:
		return v.with(step.StatePending, "NoLocalEndpoints", "its externalTrafficPolicy is Local, and none of its %s "+
			"names a node: no node takes what comes to its address", plural.Count(e.all, "endpoint")).inTrouble()
	}
	return v
}

// noEndpoints is the Reason of a Service without endpoints.
const noEndpoints = "NoEndpoints"

// endpoints counts the endpoints of a Service: all, ready ones, and those that name a node. slice and second identify
// an endpoint with a second address.
type endpoints struct {
	all, ready, placed int
	slice, second      string
}

// endpointsOf counts the endpoints in a Service's EndpointSlices. An endpoint without a ready condition counts as ready
// (EndpointConditions).
func endpointsOf(service *unstructured.Unstructured, list []unstructured.Unstructured) (out endpoints) {
	for i := range list {
		if list[i].GetNamespace() != service.GetNamespace() ||
			list[i].GetLabels()["kubernetes.io/service-name"] != service.GetName() {
			continue
		}
		for _, e := range kube.Maps(&list[i], "endpoints") {
			out.all++
			if is, reported, _ := unstructured.NestedBool(e, "conditions", "ready"); is || !reported {
				out.ready++
			}
			if node, _ := e["nodeName"].(string); node != "" {
				out.placed++
			}
			if a, _, _ := unstructured.NestedStringSlice(e, "addresses"); len(a) > 1 && out.second == "" {
				out.slice, out.second = list[i].GetName(), a[1]
			}
		}
	}
	return out
}

// judgeRoute judges a Route: each router reports whether it admits the Route.
func judgeRoute(u *unstructured.Unstructured, v Verdict, f *facts) Verdict {
	v.Hint = Describe(u)
	var refused []string
	admitted, refusal, since := 0, kube.Condition{}, time.Time{}
	for _, router := range kube.Maps(u, "status", "ingress") {
		if f.router != "" && router["routerName"] != f.router {
			continue
		}
		status := &unstructured.Unstructured{Object: map[string]any{"status": router}}
		c := kube.FindCondition(kube.Conditions(status), string(routev1.RouteAdmitted))
		switch name, _ := router["routerName"].(string); {
		case c.True():
			admitted, since = admitted+1, c.LastTransitionTime
		case c.False():
			text := fmt.Sprintf("router %s does not admit it (%s)", name, c.Reason)
			refused = append(refused, strings.TrimSuffix(text+": "+c.Message, ": "))
			refusal = c
		}
	}
	slices.Sort(refused)
	v.Since = since
	switch {
	case len(refused) > 0 && admitted > 0:
		v.Since = refusal.LastTransitionTime
		return v.with(step.StateWarning, refusal.Reason, "%s", strings.Join(refused, "; "))
	case len(refused) > 0:
		v.Since = refusal.LastTransitionTime
		return v.with(step.StateBroken, refusal.Reason, "%s", strings.Join(refused, "; ")).inTrouble()
	case admitted == 0:
		v.Since = u.GetCreationTimestamp().Time
		return v.with(step.StatePending, "NotAdmitted", "no router has admitted it yet")
	}
	return v
}

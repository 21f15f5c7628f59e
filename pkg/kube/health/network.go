package health

import (
	"fmt"
	"slices"
	"strings"
	"time"

	routev1 "github.com/openshift/api/route/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// judgeService judges a Service: one of type LoadBalancer has to have an address, and, where EndpointSlices are given,
// something has to serve behind it.
func judgeService(u *unstructured.Unstructured, v Verdict, f *facts) Verdict {
	v.Hint = hint.New("oc describe service %s -n %s", u.GetName(), u.GetNamespace())
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
	ready, all := endpointsOf(u, f.slices)
	switch {
	case ready > 0:
		return v
	case all > 0:
		return v.with(step.StatePending, "NoReadyEndpoints", "none of its %s is ready", plural.Count(all, "endpoint")).
			inTrouble()
	}
	return v.with(step.StatePending, "NoEndpoints", "it has no endpoints: no pod has the labels of its selector").
		inTrouble()
}

// endpointsOf counts the addresses of a Service's EndpointSlices, and those that are ready. A readiness that is not
// said counts as ready (EndpointConditions).
func endpointsOf(service *unstructured.Unstructured, list []unstructured.Unstructured) (ready, all int) {
	for i := range list {
		if list[i].GetNamespace() != service.GetNamespace() ||
			list[i].GetLabels()["kubernetes.io/service-name"] != service.GetName() {
			continue
		}
		for _, e := range kube.Maps(&list[i], "endpoints") {
			all++
			if is, said, _ := unstructured.NestedBool(e, "conditions", "ready"); is || !said {
				ready++
			}
		}
	}
	return ready, all
}

// judgeRoute judges a Route: each router that looks at it says whether it admits it.
func judgeRoute(u *unstructured.Unstructured, v Verdict, _ *facts) Verdict {
	v.Hint = hint.New("oc describe route %s -n %s", u.GetName(), u.GetNamespace())
	var refused []string
	admitted, refusal, since := 0, kube.Condition{}, time.Time{}
	for _, router := range kube.Maps(u, "status", "ingress") {
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

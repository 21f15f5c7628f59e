package hypershift

import (
	"context"
	"fmt"
	"time"

	routev1 "github.com/openshift/api/route/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// Cluster operators that stay unavailable. Guess: which ones, and that the set is this small.
var (
	operatorsWithoutNodes   = []string{"console", "image-registry", "ingress", "insights", "monitoring", "network", "node-tuning", "service-ca"}
	operatorsWithoutIngress = []string{"console", "ingress"}
)

// observeGuest plays what happens inside a guest whose API server answers: what it comes with, its way in for
// applications, and the roll-out of its payload.
func (r *controlPlanes) observeGuest(ctx context.Context, hcp *hyperv1.HostedControlPlane, v *view) error {
	if v.guest.phase != guestRunning || v.health != "" {
		return nil
	}
	prefix := "hcp/" + hcp.Namespace + "/"
	if err := r.furnish(ctx, v.guest.client); err != nil {
		return err
	}
	var err error
	if v.nodes, err = readyNodes(ctx, v.guest.client); err != nil {
		return err
	}
	if !v.available("cluster-version-operator") {
		return nil
	}
	if left := r.clock.left(prefix+"cvo", 1500*time.Millisecond); left > 0 {
		v.wait = soonest(v.wait, left)
		return nil
	}
	v.version.reported = true
	if completed(hcp, v.payload.Image) {
		v.version.done = true
		return nil
	}
	return r.applyPayload(ctx, hcp, v, prefix+"payload/"+v.payload.Image+"/")
}

// completed: the history says that this image is rolled out.
func completed(hcp *hyperv1.HostedControlPlane, image string) bool {
	v := hcp.Status.VersionStatus
	return v != nil && len(v.History) > 0 && v.History[0].Image == image && v.History[0].CompletionTime != nil
}

// applyPayload decides how far the roll-out is. Without a ready node, or a way in for applications, it waits, and after a
// while it says so.
func (r *controlPlanes) applyPayload(ctx context.Context, hcp *hyperv1.HostedControlPlane, v *view, prefix string) error {
	admitted, err := r.ensureIngress(ctx, hcp, v)
	if err != nil {
		return err
	}
	for i, percent := range []int{10, 40, 70} {
		v.version.percent = percent
		if left := r.clock.left(fmt.Sprintf("%s%d", prefix, i), time.Second); left > 0 {
			v.wait = soonest(v.wait, left)
			return nil
		}
	}
	switch {
	case v.nodes == 0:
		v.version.blockers = operatorsWithoutNodes
	case !admitted:
		v.version.blockers = operatorsWithoutIngress
	default:
		v.version.percent = 90
		left := r.clock.left(prefix+"last", 2*time.Second)
		v.version.done, v.wait = left == 0, soonest(v.wait, left)
		return nil
	}
	left := r.clock.left(prefix+"patience", 30*time.Second)
	v.version.stuck, v.wait = left == 0, soonest(v.wait, left)
	return nil
}

func readyNodes(ctx context.Context, guest client.Client) (int, error) {
	nodes := &corev1.NodeList{}
	if err := guest.List(ctx, nodes); err != nil {
		return 0, fmt.Errorf("list the guest's nodes: %w", err)
	}
	ready := 0
	for i := range nodes.Items {
		if nodeReady(&nodes.Items[i]) {
			ready++
		}
	}
	return ready, nil
}

// furnish makes the namespaces a guest's user expects. There are no operators in them.
func (r *controlPlanes) furnish(ctx context.Context, guest client.Client) error {
	last := guestNamespaces[len(guestNamespaces)-1]
	err := guest.Get(ctx, client.ObjectKey{Name: last}, &corev1.Namespace{})
	if err == nil {
		return nil
	}
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("get namespace %s of the guest: %w", last, err)
	}
	for _, name := range guestNamespaces {
		err := guest.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create namespace %s in the guest: %w", name, err)
		}
	}
	return nil
}

var guestNamespaces = []string{
	"openshift", "openshift-config", "openshift-config-managed", "openshift-console", "openshift-dns",
	"openshift-image-registry", "openshift-ingress", "openshift-ingress-operator", "openshift-machine-config-operator",
	"openshift-monitoring", "openshift-multus", "openshift-network-operator", "openshift-operators",
	"openshift-ovn-kubernetes", "openshift-service-ca",
}

// passthrough: a guest of this version can be reached through the management cluster's wildcard domain (4.12.2 and later).
func passthrough(version string) bool {
	minor := minorOf(version)
	return minor > 12 || minor == 12 && patchOf(version) >= 2
}

// ensureIngress makes the way in for the guest's applications, once a node's router could be behind it, and says whether
// the management cluster lets it through.
func (r *controlPlanes) ensureIngress(ctx context.Context, hcp *hyperv1.HostedControlPlane, v *view) (bool, error) {
	kv := hcp.Spec.Platform.Kubevirt
	if kv == nil || kv.BaseDomainPassthrough == nil || !*kv.BaseDomainPassthrough {
		return r.ownIngress(ctx, hcp)
	}
	if !passthrough(v.payload.Version) {
		return false, nil
	}
	s := &corev1.Service{ObjectMeta: metav1.ObjectMeta{
		Namespace: hcp.Namespace, Name: "default-ingress-passthrough-service-" + kv.GenerateID,
	}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, s, func() error {
		addTo(&s.Labels, map[string]string{hyperv1.InfraIDLabel: hcp.Spec.InfraID})
		if len(s.Spec.Ports) == 0 {
			// Guess: the node port of the guest's router; any stable one of the range does.
			s.Spec.Ports = []corev1.ServicePort{{
				Name: "https-443", Protocol: corev1.ProtocolTCP, Port: 443, TargetPort: intstr.FromInt32(31443),
			}}
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("failed to reconcile kubevirt ingress passthrough service: %w", err)
	}
	route := &routev1.Route{ObjectMeta: metav1.ObjectMeta{
		Namespace: hcp.Namespace, Name: "default-ingress-passthrough-route-" + kv.GenerateID,
	}}
	_, err = controllerutil.CreateOrUpdate(ctx, r.Client, route, func() error {
		addTo(&route.Labels, map[string]string{hyperv1.InfraIDLabel: hcp.Spec.InfraID})
		route.Spec.WildcardPolicy = routev1.WildcardPolicySubdomain
		route.Spec.Host = fmt.Sprintf("https.apps.%s.%s", hcp.Name, hcp.Spec.DNS.BaseDomain)
		route.Spec.To.Kind, route.Spec.To.Name = "Service", s.Name
		if route.Spec.TLS == nil {
			route.Spec.TLS = &routev1.TLSConfig{Termination: routev1.TLSTerminationPassthrough}
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("failed to reconcile kubevirt ingress passthrough route: %w", err)
	}
	return admitted(route), nil
}

// admitted: a router of the management cluster serves the Route.
func admitted(route *routev1.Route) bool {
	for _, ingress := range route.Status.Ingress {
		for _, c := range ingress.Conditions {
			if c.Type == routev1.RouteAdmitted && c.Status == corev1.ConditionTrue {
				return true
			}
		}
	}
	return false
}

// ownIngress looks for the load balancer that the user of a custom base domain makes for *.apps. Guess: a sandbox has no
// DNS to ask, so the Service having an address stands for the name resolving.
func (r *controlPlanes) ownIngress(ctx context.Context, hcp *hyperv1.HostedControlPlane) (bool, error) {
	list := &corev1.ServiceList{}
	if err := r.cached.List(ctx, list, client.InNamespace(hcp.Namespace)); err != nil {
		return false, fmt.Errorf("list Services in %s: %w", hcp.Namespace, err)
	}
	for i := range list.Items {
		s := &list.Items[i]
		if s.Spec.Type == corev1.ServiceTypeLoadBalancer && s.Spec.Selector["kubevirt.io"] == "virt-launcher" && loadBalancerAddress(s) != "" {
			return true, nil
		}
	}
	return false, nil
}

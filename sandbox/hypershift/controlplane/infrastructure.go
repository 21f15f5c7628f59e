package controlplane

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	routev1 "github.com/openshift/api/route/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
)

// infra has the addresses of a control plane, or what is missing for them.
type infra struct {
	api guest.Endpoint
	// oauth is the OAuth server's host with its port.
	oauth string
	// nodePort reports whether api is a node's, whose health the operator does not check.
	nodePort bool
	missing  []string
}

// routePort is that of every Route.
const routePort = "443"

func (i infra) ready() bool { return len(i.missing) == 0 }

// ensureInfrastructure creates Services and Routes and reads which of them have an address.
func (r *controlPlanes) ensureInfrastructure(ctx context.Context, hcp *hyperv1.HostedControlPlane) (infra, error) {
	kas, err := r.kasService(ctx, hcp)
	if err != nil {
		return infra{}, err
	}
	if err := r.ensureObjects(ctx, hcp, stageInfrastructure); err != nil {
		return infra{}, err
	}
	if _, err := r.serviceRoute(ctx, hcp, "konnectivity-server", "konnectivity-server", hyperv1.Konnectivity); err != nil {
		return infra{}, err
	}
	oauth, err := r.serviceRoute(ctx, hcp, "oauth", "oauth-openshift", hyperv1.OAuthServer)
	if err != nil {
		return infra{}, err
	}
	return r.infraStatus(ctx, hcp, kas, oauth)
}

// infraStatus reads the addresses.
func (r *controlPlanes) infraStatus(ctx context.Context, hcp *hyperv1.HostedControlPlane, kas *corev1.Service,
	oauth *routev1.Route) (infra, error) {
	var status infra
	strategy := reconciler.Publishing(hcp.Spec.Services, hyperv1.APIServer)
	if at := reconciler.NodePort(kas, strategy); at != nil {
		status.api = guest.Endpoint{Host: at.Address, Address: at.Address, Port: int(at.Port)}
		status.nodePort = true
	} else {
		address := reconciler.LoadBalancerAddress(kas)
		status.api = guest.Endpoint{Host: address, Address: address, Port: metadata.APIPort}
		if strategy != nil && strategy.LoadBalancer != nil {
			status.api.Host = cmp.Or(strategy.LoadBalancer.Hostname, address)
		}
	}
	if status.api.Address == "" {
		events, err := r.warnings(ctx, kas.Namespace, "Service", kas.Name)
		if err != nil {
			return infra{}, err
		}
		status.missing = append(status.missing, msgLoadBalancerPending(kas.Name, age(kas), events))
	}
	service := &corev1.Service{}
	err := r.Cached.Get(ctx, client.ObjectKey{Namespace: hcp.Namespace, Name: "oauth-openshift"}, service)
	if client.IgnoreNotFound(err) != nil {
		return infra{}, fmt.Errorf("get Service %s/oauth-openshift: %w", hcp.Namespace, err)
	}
	strategy = reconciler.Publishing(hcp.Spec.Services, hyperv1.OAuthServer)
	at := reconciler.NodePort(service, strategy)
	switch {
	case at != nil:
		status.oauth = net.JoinHostPort(at.Address, strconv.Itoa(int(at.Port)))
	case strategy != nil && strategy.Type == hyperv1.NodePort:
		status.missing = append(status.missing, msgProvisioning) // the cache has the Service soon
	case oauth.Spec.Host == "":
		status.missing = append(status.missing, msgOAuthRouteWithoutHost(age(oauth)))
	default:
		status.oauth = net.JoinHostPort(oauth.Spec.Host, routePort)
	}
	return status, nil
}

// age is 0 for an object that does not exist yet.
func age(o client.Object) time.Duration {
	born := o.GetCreationTimestamp()
	if born.IsZero() {
		return 0
	}
	return time.Since(born.Time)
}

// warnings returns the messages of an object's events that are not of type Normal.
func (r *controlPlanes) warnings(ctx context.Context, namespace, kind, name string) ([]string, error) {
	list := &corev1.EventList{}
	if err := r.Client.List(ctx, list, client.InNamespace(namespace), client.MatchingFields{
		"involvedObject.kind": kind, "involvedObject.name": name,
	}); err != nil {
		return nil, fmt.Errorf("list events about %s %s/%s: %w", kind, namespace, name, err)
	}
	var messages []string
	seen := map[string]bool{}
	for i := range list.Items {
		e := &list.Items[i]
		if e.Type != corev1.EventTypeNormal && !seen[e.Message] {
			seen[e.Message] = true
			messages = append(messages, e.Message)
		}
	}
	return messages, nil
}

// kasService publishes the API server as a Service of type LoadBalancer or NodePort, or ClusterIP if a Route is
// requested.
func (r *controlPlanes) kasService(ctx context.Context, hcp *hyperv1.HostedControlPlane) (*corev1.Service, error) {
	s := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: hcp.Namespace, Name: "kube-apiserver"}}
	err := r.createOrUpdate(ctx, s, func() error {
		metadata.Add(&s.Labels, map[string]string{"app": "kube-apiserver", metadata.ComponentLabel: "kube-apiserver"})
		s.Spec.Selector = map[string]string{"app": "kube-apiserver", metadata.ComponentLabel: "kube-apiserver"}
		if p := reconciler.Publishing(hcp.Spec.Services, hyperv1.APIServer); p != nil && p.LoadBalancer != nil &&
			p.LoadBalancer.Hostname != "" {
			metadata.Add(&s.Annotations, map[string]string{hyperv1.ExternalDNSHostnameAnnotation: p.LoadBalancer.Hostname})
		}
		if len(s.Spec.Ports) == 0 {
			s.Spec.Ports = []corev1.ServicePort{{Name: "client", Port: metadata.APIPort, Protocol: corev1.ProtocolTCP,
				TargetPort: intstr.FromString("client")}}
		}
		s.Spec.LoadBalancerSourceRanges = nil
		if api := hcp.Spec.Networking.APIServer; api != nil {
			for _, block := range api.AllowedCIDRBlocks {
				s.Spec.LoadBalancerSourceRanges = append(s.Spec.LoadBalancerSourceRanges, string(block))
			}
		}
		strategy := reconciler.Publishing(hcp.Spec.Services, hyperv1.APIServer)
		switch {
		case strategy == nil || strategy.Type == hyperv1.LoadBalancer:
			s.Spec.Type = corev1.ServiceTypeLoadBalancer
		case strategy.Type == hyperv1.NodePort:
			s.Spec.Type = corev1.ServiceTypeNodePort
			if s.Spec.Ports[0].NodePort == 0 && strategy.NodePort != nil {
				s.Spec.Ports[0].NodePort = strategy.NodePort.Port
			}
		default:
			s.Spec.Type = corev1.ServiceTypeClusterIP
		}
		return controllerutil.SetControllerReference(hcp, s, r.Scheme)
	})
	if err != nil {
		return nil, fmt.Errorf("failed to reconcile kube-apiserver service: %w", err)
	}
	return s, nil
}

// createOrUpdate writes an object only if it differs from the cached one, to save API requests.
func (r *controlPlanes) createOrUpdate(ctx context.Context, o client.Object, mutate func() error) error {
	if err := r.Cached.Get(ctx, client.ObjectKeyFromObject(o), o); err == nil {
		before := o.DeepCopyObject()
		if err := mutate(); err != nil || equality.Semantic.DeepEqual(before, o) {
			return err
		}
	}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, o, mutate)
	return err //nolint:wrapcheck // the caller names the object
}

// serviceRoute creates the Route of a published service. The ingress operator of the management cluster sets its host,
// unless the HostedCluster has one.
func (r *controlPlanes) serviceRoute(ctx context.Context, hcp *hyperv1.HostedControlPlane, name, service string,
	kind hyperv1.ServiceType) (*routev1.Route, error) {
	route := &routev1.Route{ObjectMeta: metav1.ObjectMeta{Namespace: hcp.Namespace, Name: name}}
	strategy := reconciler.Publishing(hcp.Spec.Services, kind)
	if strategy == nil || strategy.Type != hyperv1.Route {
		return route, nil
	}
	err := r.createOrUpdate(ctx, route, func() error {
		if strategy.Route != nil && strategy.Route.Hostname != "" {
			route.Spec.Host = strategy.Route.Hostname
		}
		route.Spec.To.Kind, route.Spec.To.Name = "Service", service
		if route.Spec.TLS == nil {
			route.Spec.TLS = &routev1.TLSConfig{
				Termination:                   routev1.TLSTerminationPassthrough,
				InsecureEdgeTerminationPolicy: routev1.InsecureEdgeTerminationPolicyNone,
			}
		}
		if kind == hyperv1.Konnectivity {
			metadata.Add(&route.Annotations, map[string]string{metadata.BalanceAnnotation: "roundrobin"})
		}
		return controllerutil.SetControllerReference(hcp, route, r.Scheme)
	})
	if err != nil {
		return nil, fmt.Errorf("failed to reconcile route %s/%s: %w", hcp.Namespace, name, err)
	}
	return route, nil
}

// infraCondition returns InfrastructureReady.
func infraCondition(i infra) status.Condition {
	if i.ready() {
		return status.True(hyperv1.InfrastructureReady, status.MsgAllIsWell)
	}
	return status.False(hyperv1.InfrastructureReady, hyperv1.WaitingOnInfrastructureReadyReason,
		strings.Join(i.missing, "; "))
}

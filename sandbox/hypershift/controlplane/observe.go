package controlplane

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/workload"
)

// observe reads the state of etcd, the API server, its endpoint and the guest.
func (r *controlPlanes) observe(ctx context.Context, hcp *hyperv1.HostedControlPlane, v *observation) error {
	var err error
	if v.etcd, err = r.etcdCondition(ctx, hcp.Namespace); err != nil {
		return err
	}
	if v.kas, v.kasUp, err = r.kasCondition(ctx, hcp.Namespace); err != nil {
		return err
	}
	if v.unavailable, err = r.unavailableReplicas(ctx, hcp.Namespace); err != nil {
		return err
	}
	v.guest = r.Guests.Get(hcp.Namespace)
	if v.infra.ready() {
		if err := r.ensureRootCA(ctx, hcp, v.infra); err != nil {
			return err
		}
	}
	cut := v.infra.ready() && r.FaultOn(fault.KASUnreachable, hcp)
	if cut {
		if err := r.Guests.Stop(hcp.Namespace); err != nil {
			return err
		}
		v.guest = r.Guests.Get(hcp.Namespace)
	}
	if v.infra.ready() && v.kasUp && !cut {
		v.guest = r.Guests.Ensure(hcp.Namespace, v.infra.api)
		if v.guest.Phase == guest.Failed {
			v.wait = reconciler.Soonest(v.wait, r.Pace.Scale(5*time.Second))
		}
		if err := r.setAuthentication(ctx, hcp); err != nil {
			return err
		}
	}
	if err := r.ensureAccess(ctx, hcp, v); err != nil {
		return err
	}
	if v.kasUp && v.infra.ready() && v.kubeconfig && (cut || !v.guest.InMemory()) && !v.infra.nodePort {
		v.health = checkHealth(ctx, v.infra.api.Address, healthURL(v))
	}
	return r.observeGuest(ctx, hcp, v)
}

func (r *controlPlanes) etcdCondition(ctx context.Context, namespace string) (status.Condition, error) {
	s := &appsv1.StatefulSet{}
	err := r.Cached.Get(ctx, types.NamespacedName{Namespace: namespace, Name: "etcd"}, s)
	if apierrors.IsNotFound(err) {
		return status.False(hyperv1.EtcdAvailable, hyperv1.EtcdStatefulSetNotFoundReason, ""), nil
	}
	if err != nil {
		return status.Condition{}, fmt.Errorf("failed to fetch etcd statefulset %s/etcd: %w", namespace, err)
	}
	if s.Status.ReadyReplicas >= ptr.Deref(s.Spec.Replicas, 1)/2+1 {
		c := status.True(hyperv1.EtcdAvailable, "")
		c.Reason = hyperv1.EtcdQuorumAvailableReason
		return c, nil
	}
	claims := &corev1.PersistentVolumeClaimList{}
	if err := r.Client.List(ctx, claims, client.InNamespace(namespace), client.MatchingLabels{"app": "etcd"}); err != nil {
		return status.Condition{}, fmt.Errorf("list the volume claims of etcd in %s: %w", namespace, err)
	}
	message := msgEtcdWaiting
	for i := range claims.Items {
		claim := &claims.Items[i]
		if claim.Status.Phase == corev1.ClaimBound {
			continue
		}
		events, err := r.warnings(ctx, namespace, "PersistentVolumeClaim", claim.Name)
		if err != nil {
			return status.Condition{}, err
		}
		if len(events) > 0 {
			message = msgEtcdClaimPending(claim.Name, events)
			break
		}
	}
	return status.False(hyperv1.EtcdAvailable, hyperv1.EtcdWaitingForQuorumReason, message), nil
}

func (r *controlPlanes) kasCondition(ctx context.Context, namespace string) (status.Condition, bool, error) {
	d := &appsv1.Deployment{}
	err := r.Cached.Get(ctx, types.NamespacedName{Namespace: namespace, Name: "kube-apiserver"}, d)
	switch {
	case apierrors.IsNotFound(err):
		return status.False(hyperv1.KubeAPIServerAvailable, hyperv1.NotFoundReason, msgKASNotFound), false, nil
	case err != nil:
		return status.Condition{}, false, fmt.Errorf("failed to fetch Kube APIServer deployment %s/kube-apiserver: %w",
			namespace, err)
	case workload.DeploymentAvailable(d):
		return status.True(hyperv1.KubeAPIServerAvailable, msgKASAvailable), true, nil
	case len(d.Status.Conditions) == 0:
		return status.False(hyperv1.KubeAPIServerAvailable, hyperv1.StatusUnknownReason, ""), false, nil
	}
	return status.False(hyperv1.KubeAPIServerAvailable, hyperv1.WaitingForAvailableReason, msgKASNotAvailable), false, nil
}

// unavailableReplicas is about the Deployments of the control plane operator, by name.
func (r *controlPlanes) unavailableReplicas(ctx context.Context, namespace string) ([]error, error) {
	list := &appsv1.DeploymentList{}
	if err := r.Cached.List(ctx, list, client.InNamespace(namespace),
		client.MatchingLabels{metadata.ManagedByLabel: workload.ControlPlaneOperator}); err != nil {
		return nil, fmt.Errorf("failed to list managed deployments in namespace %s: %w", namespace, err)
	}
	slices.SortFunc(list.Items, func(a, b appsv1.Deployment) int { return strings.Compare(a.Name, b.Name) })
	var all []error
	for i := range list.Items {
		if n := list.Items[i].Status.UnavailableReplicas; n > 0 {
			all = append(all, errUnavailable(list.Items[i].Name, n))
		}
	}
	return all, nil
}

// healthURL returns the URL of the operator's health check: the load balancer's address, or the guest's real listen
// address if the former is not local.
func healthURL(v *observation) string {
	base := fmt.Sprintf("https://%s:%d", v.infra.api.Address, v.infra.api.Port)
	if bind, _ := guest.BindAddress(v.infra.api.Address); v.guest.Handle != nil && bind != v.infra.api.Address {
		base = v.guest.Handle.Host
	}
	return base + "/healthz?verbose"
}

// checkHealth checks an API server's health without verifying its certificate, like the control plane operator. It
// returns the problem, or "".
func checkHealth(ctx context.Context, endpoint, url string) string {
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // the real check does not verify either
		DisableKeepAlives: true,
	}
	c := &http.Client{Timeout: 3 * time.Second, Transport: transport}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return msgHealthCheckFailed(endpoint, err)
	}
	resp, err := c.Do(req)
	if err != nil {
		return msgHealthCheckFailed(endpoint, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return msgUnhealthyEndpoint(endpoint, resp.StatusCode, failingChecks(resp.Body))
	}
	return ""
}

// failingChecks returns the checks that a verbose health answer marks with [-].
func failingChecks(body io.Reader) []string {
	var failing []string
	lines := bufio.NewScanner(io.LimitReader(body, 1<<16))
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "[-]"); ok {
			name, _, _ = strings.Cut(name, " failed:")
			failing = append(failing, name)
		}
	}
	return failing
}

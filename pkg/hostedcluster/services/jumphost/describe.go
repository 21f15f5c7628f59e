package jumphost

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/internal/service"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// infraIDLabel is a label of the pods that run worker VMs.
const infraIDLabel = hyperv1.InfraIDLabel

// describe describes how to log in through the jump host.
func describe(ctx context.Context, t service.Tenant, r kube.Reader) (*service.Description, error) {
	if _, f := t.FindNamespace(ctx, r); f != nil {
		if f.State == step.StateUnknown {
			return nil, fmt.Errorf("%s: %s", f.Object, f.Message)
		}
		return nil, nil
	}
	key := client.ObjectKey{Namespace: t.Namespace(), Name: name}
	d, svc, files := &appsv1.Deployment{}, &corev1.Service{}, &corev1.ConfigMap{}
	for _, o := range []client.Object{d, svc, files} {
		err := r.Get(ctx, key, o)
		if apierrors.IsNotFound(err) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("jump host %s: %w", key, err)
		}
		if !owned(t, o) {
			return nil, nil
		}
	}
	out := &service.Description{State: step.StateOK}
	at, port := kube.LoadBalancerAddress(svc), "22"
	if len(svc.Spec.Ports) > 0 {
		port = strconv.Itoa(int(svc.Spec.Ports[0].Port))
	}
	v := health.Of(d, r.Now())
	if out.State, out.Message = v.State, v.Message; at == "" {
		out.State, out.Message = step.StatePending, "has no address yet"
	}
	out.Facts = []service.Fact{{Name: "address", Value: at}, {Name: "port", Value: port}, {Name: "user", Value: User},
		{Name: "host key", Value: fingerprint(files.Data[publicKey])}}
	if at == "" {
		return out, nil
	}
	host := at
	if port != "22" {
		host = "[" + at + "]:" + port
	}
	out.Facts = append(out.Facts, service.Fact{Name: "known_hosts", Value: host + " " + files.Data[publicKey]})
	node, err := nodeAddress(ctx, t, r)
	if err != nil {
		return nil, err
	}
	jump := User + "@" + at
	if port != "22" {
		jump = User + "@" + net.JoinHostPort(at, port)
	}
	inside := hostedcluster.ControlPlaneNamespace(t.Cluster.Namespace, t.Cluster.Name)
	out.Commands = []string{
		"ssh -J " + jump + " core@" + node,
		fmt.Sprintf("ssh -N -p %s -L %d:kube-apiserver.%s.svc:%d %s@%s", port, apiServerPort, inside, apiServerPort, User,
			at),
	}
	return out, nil
}

// nodeAddress returns the address of the first running worker, or a placeholder if there is none.
func nodeAddress(ctx context.Context, t service.Tenant, r kube.Reader) (string, error) {
	var list kubevirtv1.VirtualMachineInstanceList
	inside := hostedcluster.ControlPlaneNamespace(t.Cluster.Namespace, t.Cluster.Name)
	if err := r.List(ctx, &list, client.InNamespace(inside)); err != nil && !kube.IsKindMissing(err) &&
		!apierrors.IsForbidden(err) {
		return "", fmt.Errorf("VirtualMachineInstances in namespace %s: %w", inside, err)
	}
	slices.SortFunc(list.Items, func(a, b kubevirtv1.VirtualMachineInstance) int {
		return strings.Compare(a.Name, b.Name)
	})
	for i := range list.Items {
		vmi := &list.Items[i]
		if vmi.Status.Phase == kubevirtv1.Running && len(vmi.Status.Interfaces) > 0 &&
			net.ParseIP(vmi.Status.Interfaces[0].IP) != nil {
			return vmi.Status.Interfaces[0].IP, nil
		}
	}
	return "NODE-ADDRESS", nil
}

// rights are the RBAC rules of the jump host.
func rights() service.Rights {
	const secrets, others = "secrets", "configmaps services deployments.apps networkpolicies.networking.k8s.io"
	const both = hostKeySecret + " " + keysSecret
	return service.Rights{
		Check: []access.Rule{
			{Verbs: "get list watch", Resources: others, Names: name, At: access.Services, Why: "the jump host"},
			{Verbs: "get list watch", Resources: secrets, Names: both, At: access.Services,
				Why: "its host key, and who may log in"},
			{Verbs: "get list watch", Resources: secrets, Names: access.Cluster + "-jump-host-keys", At: access.Clusters,
				Why: fmt.Sprintf("%s, under this name: who may log in", hint.Flag("jump-host-keys-secret"))},
		},
		Apply: []access.Rule{
			{Verbs: "create", Resources: secrets, Only: both, At: access.Services, Why: "the jump host's host key"},
			{Verbs: "create patch", Resources: others, Names: name, At: access.Services, Why: "makes and changes the jump host"},
			{Verbs: "patch", Resources: secrets, Names: keysSecret, At: access.Services, Why: "who may log in"},
		},
		Remove: []access.Rule{
			{Verbs: "delete", Resources: others, Names: name, At: access.Services, Why: "removes it where other services stay"},
			{Verbs: "delete", Resources: secrets, Names: both, At: access.Services, Why: "the same"},
		},
	}
}

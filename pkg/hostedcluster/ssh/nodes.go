package ssh

import (
	"context"
	"fmt"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/suggest"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/infrastructure"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// Node is a worker of a hosted cluster. Its VirtualMachineInstance has the same name.
type Node struct {
	Name, Namespace string
	// Running reports whether its VM runs.
	Running bool
}

// Host returns the name of the node for ssh, such as "kv-00-x7k2q.clusters-kv-00".
func (n Node) Host() string { return n.Name + "." + n.Namespace }

// ParseHost returns the node of a Host.
func ParseHost(host string) (Node, error) {
	name, namespace, _ := strings.Cut(host, ".")
	if len(validation.IsDNS1123Label(name)) > 0 || len(validation.IsDNS1123Label(namespace)) > 0 {
		return Node{}, fmt.Errorf("%q is not the name of a VM and its namespace", host)
	}
	return Node{Name: name, Namespace: namespace, Running: true}, nil
}

// Site returns the cluster and namespace of a hosted cluster's worker VMs. It returns a *hostedcluster.NotFoundError,
// the error of hostedcluster.CheckVMs, an *infrastructure.NotReachedError, or the error of a read.
func Site(ctx context.Context, r kube.Reader, namespace, name string) (infrastructure.Site, error) {
	hc, err := hostedcluster.Find(ctx, r, namespace, name)
	if err != nil {
		return infrastructure.Site{}, err
	}
	if err := hostedcluster.CheckVMs(hc); err != nil {
		return infrastructure.Site{}, err
	}
	return infrastructure.SiteOf(ctx, r, hc)
}

// Nodes returns the workers of a hosted cluster, by name.
func Nodes(ctx context.Context, site infrastructure.Site) ([]Node, error) {
	var list kubevirtv1.VirtualMachineInstanceList
	if err := site.Reader.List(ctx, &list, site.VMs()...); err != nil {
		err = fmt.Errorf("VirtualMachineInstances in namespace %s: %w", site.Namespace, err)
		if site.Cluster != nil {
			return nil, &infrastructure.NotReachedError{Of: site.Of, Namespace: site.Namespace, Err: err, Consoles: true}
		}
		return nil, err
	}
	var out []Node
	for i := range list.Items {
		vmi := &list.Items[i]
		if _, worker := vmi.Labels[hyperv1.NodePoolNameLabel]; !worker || len(validation.IsDNS1123Label(vmi.Name)) > 0 {
			continue
		}
		out = append(out, Node{Name: vmi.Name, Namespace: site.Namespace, Running: vmi.Status.Phase == kubevirtv1.Running &&
			vmi.DeletionTimestamp == nil})
	}
	slices.SortFunc(out, func(a, b Node) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// Choose returns the named node, or the first running one.
func Choose(nodes []Node, cluster, name string) (Node, error) {
	var names []string
	for _, n := range nodes {
		if n.Name == name || name == "" && n.Running {
			return n, nil
		}
		names = append(names, n.Name)
	}
	if len(names) == 0 {
		return Node{}, fmt.Errorf("hosted cluster %s has no worker VMs", cluster)
	}
	next := hint.New("its nodes: %s", strings.Join(names[:min(len(names), 10)], ", "))
	if words := suggest.Words(name, names); len(words) > 0 {
		next = hint.New("did you mean %s?", strings.Join(words, " or "))
	}
	if name == "" {
		return Node{}, failure.New(failure.Other, next, "no worker VM of hosted cluster %s runs", cluster)
	}
	return Node{}, failure.New(failure.Other, next, "hosted cluster %s has no node %s", cluster, name)
}

// keyInSecret is the private key in the Secret of --generate-ssh. The hypershift command line uses the same key.
const keyInSecret = "id_rsa"

// GeneratedKey returns the private key that hcctl generated for the nodes of a hosted cluster; nil if there is none, or
// if the user may not read it. keyless is set if create cluster gave the nodes no key at all.
func GeneratedKey(ctx context.Context, r kube.Reader, namespace, name string) (private []byte, keyless bool,
	err error) {
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: namespace, Name: hostedcluster.SSHKeyName(name)}
	err = r.Get(ctx, key, secret)
	switch {
	case apierrors.IsNotFound(err):
		return nil, true, nil
	case apierrors.IsForbidden(err):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("read Secret %s: %w", key, err)
	}
	return secret.Data[keyInSecret], false, nil
}

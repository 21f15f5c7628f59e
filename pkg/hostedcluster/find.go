package hostedcluster

import (
	"context"
	"fmt"
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// Find reads one HostedCluster. It fails with *NotInstalledError or *NotFoundError, or with the error of the read.
func Find(ctx context.Context, r kube.Reader, namespace, name string) (*hyperv1.HostedCluster, error) {
	hc := &hyperv1.HostedCluster{}
	err := r.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, hc)
	switch {
	case kube.IsKindMissing(err):
		return nil, &NotInstalledError{}
	case apierrors.IsNotFound(err):
		return nil, notFound(ctx, r, namespace, name)
	case err != nil:
		return nil, fmt.Errorf("HostedCluster %s/%s: %w", namespace, name, err)
	}
	return hc, nil
}

// FindPool reads one NodePool. It fails with *NotInstalledError, *PoolNotFoundError or the error of the read.
func FindPool(ctx context.Context, r kube.Reader, namespace, name string) (*hyperv1.NodePool, error) {
	np := &hyperv1.NodePool{}
	err := r.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, np)
	switch {
	case kube.IsKindMissing(err):
		return nil, &NotInstalledError{}
	case apierrors.IsNotFound(err):
		return nil, poolNotFound(ctx, r, namespace, name)
	case err != nil:
		return nil, fmt.Errorf("NodePool %s/%s: %w", namespace, name, err)
	}
	return np, nil
}

// Reread reads a NodePool again. It returns nil and a finding if the NodePool is gone, is being deleted or cannot be
// read.
func Reread(ctx context.Context, r kube.Reader, pool *hyperv1.NodePool) (*hyperv1.NodePool, step.Finding) {
	np, object := &hyperv1.NodePool{}, "NodePool "+kube.Name(pool)
	err := r.Get(ctx, client.ObjectKeyFromObject(pool), np)
	switch {
	case apierrors.IsNotFound(err):
		return nil, step.Broken("deleted meanwhile").On("%s", object)
	case err != nil:
		return nil, kube.Unknown(err).On("%s", object)
	case np.DeletionTimestamp != nil:
		return nil, step.Broken("being deleted").On("%s", object)
	}
	return np, step.Finding{}
}

// poolNotFound returns a *PoolNotFoundError with the NodePools of the namespace, if the user may list them.
func poolNotFound(ctx context.Context, r kube.Reader, namespace, name string) error {
	e := &PoolNotFoundError{Namespace: namespace, Name: name}
	var all hyperv1.NodePoolList
	if err := r.List(ctx, &all, client.InNamespace(namespace), client.Limit(maxPools)); err != nil {
		e.Unlisted = err
		return e
	}
	for i := range all.Items {
		e.Others = append(e.Others, all.Items[i].Name)
	}
	slices.Sort(e.Others)
	return e
}

// maxPools limits the NodePools that poolNotFound lists.
const maxPools = 100

// notFound returns a *NotFoundError with the existing clusters, if the user may list them.
func notFound(ctx context.Context, r kube.Reader, namespace, name string) error {
	e := &NotFoundError{Namespace: namespace, Name: name}
	names, err := r.Names(ctx, kube.HostedCluster)
	for _, n := range names {
		other := n.Name
		if n.Namespace != namespace {
			other = n.String()
		}
		e.Others = append(e.Others, other)
	}
	e.Unlisted = err
	slices.Sort(e.Others)
	return e
}

// eachHostedCluster calls visit for each HostedCluster of a namespace, or of all namespaces if it is empty, page by
// page.
func eachHostedCluster(ctx context.Context, r kube.Reader, namespace string,
	visit func(*hyperv1.HostedCluster)) error {
	const page = 500
	next := ""
	for {
		var l hyperv1.HostedClusterList
		if err := r.List(ctx, &l, client.InNamespace(namespace), client.Limit(page), client.Continue(next)); err != nil {
			return err
		}
		for i := range l.Items {
			visit(&l.Items[i])
		}
		if next = l.Continue; next == "" {
			return nil
		}
	}
}

package hostedcluster

import (
	"context"
	"fmt"
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
)

// Find reads one HostedCluster. It fails with *NotInstalledError or *NotFoundError, or with the error of the read.
func Find(ctx context.Context, c *kube.Client, namespace, name string) (*hyperv1.HostedCluster, error) {
	hc := &hyperv1.HostedCluster{}
	err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, hc)
	switch {
	case kube.IsKindMissing(err):
		return nil, &NotInstalledError{}
	case apierrors.IsNotFound(err):
		return nil, notFound(ctx, c, namespace, name)
	case err != nil:
		return nil, fmt.Errorf("HostedCluster %s/%s: %w", namespace, name, err)
	}
	return hc, nil
}

// notFound names the clusters there are, if they may be listed.
func notFound(ctx context.Context, c *kube.Client, namespace, name string) error {
	e := &NotFoundError{Namespace: namespace, Name: name}
	err := eachHostedCluster(ctx, c, "", func(hc *hyperv1.HostedCluster) {
		other := hc.Name
		if hc.Namespace != namespace {
			other = kube.Name(hc)
		}
		e.Others = append(e.Others, other)
	})
	if err != nil {
		return fmt.Errorf("no hosted cluster %q in namespace %q (nor may the others be listed: %w)", name, namespace, err)
	}
	slices.Sort(e.Others)
	return e
}

// eachHostedCluster visits the HostedClusters of a namespace, or of all if it is empty, page by page.
func eachHostedCluster(ctx context.Context, c *kube.Client, namespace string, visit func(*hyperv1.HostedCluster)) error {
	const page = 500
	next := ""
	for {
		var l hyperv1.HostedClusterList
		if err := c.List(ctx, &l, client.InNamespace(namespace), client.Limit(page), client.Continue(next)); err != nil {
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

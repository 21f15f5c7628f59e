package rbac

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/managedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/rbac"
)

// readTimeout bounds the reads from a cluster. A role is printed without them, too.
const readTimeout = 10 * time.Second

// checkNames returns an error for names that mean something else, too, in the cluster of the kubeconfig. Without
// a cluster it warns which other hosted clusters the names could mean.
func checkNames(ctx context.Context, a *cmdutil.Factory, o rbac.Options) error {
	if !o.AboutClusters() && len(o.Reaches()) == 0 || o.Namespace == "" && len(o.ClusterNames) == 0 {
		return nil
	}
	why := "no kubeconfig leads to a cluster"
	if !a.Connection.NoClusterConfigured() {
		found, err := find(ctx, a, o)
		if err != nil {
			why = kube.Explain(err)
		} else if err := o.Refuse(found); err != nil {
			return cmdutil.WithHint(err,
				"give names that mean one cluster; --context and --kubeconfig say which cluster is looked at")
		} else {
			return nil
		}
	}
	if readings := o.Readings(); len(readings) > 0 {
		a.Notices.Warn(fmt.Sprintf("the role would reach these hosted clusters, too, if there are any: %s; nothing was "+
			"looked at: %s", strings.Join(readings, ", "), why), hint.Text{})
	}
	return nil
}

// find reads what the names of the role could mean.
func find(ctx context.Context, a *cmdutil.Factory, o rbac.Options) (rbac.Found, error) {
	var found rbac.Found
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	t, err := a.Connection.Dial()
	if err != nil {
		return found, err
	}
	var unread string
	if found.HostedClusters, unread, err = hostedcluster.ListIdentities(ctx, t.Client, o.Namespace); err != nil {
		return found, err
	} else if unread != "" {
		return found, fmt.Errorf("HostedClusters: %s", unread)
	}
	var managed clusterv1.ManagedClusterList
	if err := t.List(ctx, &managed); err != nil && !kube.IsKindMissing(err) {
		return found, err
	}
	found.ManagedClusters = map[string]bool{}
	for i := range managed.Items {
		mc := &managed.Items[i]
		found.ManagedClusters[mc.Name] = mc.Annotations[managedcluster.DeployModeAnnotation] == managedcluster.HostedMode
	}
	for _, name := range o.Reaches() {
		var ns corev1.Namespace
		switch err := t.Get(ctx, client.ObjectKey{Name: name}, &ns); {
		case err == nil:
			found.Namespaces = append(found.Namespaces, ns)
		case !apierrors.IsNotFound(err):
			return found, err
		}
	}
	return found, nil
}

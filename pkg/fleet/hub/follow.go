package hub

import (
	"context"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	workv1 "open-cluster-management.io/api/work/v1"

	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// LostAfter is the time after which the state of a site is read again. A read is needed, because a Lease that is
// not renewed causes no event.
const LostAfter = 15 * time.Second

// followed returns the steps that follow a delivered cluster as far as wait says.
func followed(c *kube.Client, site string, name fleet.ClusterName, wait options.Wait) []step.Step {
	checkWork := func(judge func(*workv1.ManifestWork) step.Finding) func(context.Context, step.Reads) step.Finding {
		return c.Reading(func(ctx context.Context, r kube.Reader) step.Finding {
			return checkDelivered(ctx, r, site, name, judge)
		})
	}
	all := []step.Step{{ID: "hub/applied", Title: "applied on site " + site, Check: checkWork(checkApplied)}}
	if wait == options.WaitNone {
		return all
	}
	feedback := func(w *workv1.ManifestWork) Feedback { return ReadFeedback(name, w.Status.ResourceStatus.Manifests) }
	all = append(all, step.Step{ID: "cluster/available", Title: "available",
		Check: checkWork(func(w *workv1.ManifestWork) step.Finding { return checkAvailable(feedback(w)) })})
	if wait == options.WaitAPI {
		return all
	}
	all = append(all, step.Step{ID: "nodepools/ready", Title: "nodes",
		Check: checkWork(func(w *workv1.ManifestWork) step.Finding { return checkNodes(w, feedback(w)) })})
	if wait == options.WaitNodes {
		return all
	}
	return append(all, step.Step{ID: "cluster/complete", Title: "rolled out",
		Check: checkWork(func(w *workv1.ManifestWork) step.Finding { return checkComplete(w, feedback(w)) })})
}

// checkDelivered reads a cluster's ManifestWork and judges it. If the site is lost, the finding says so, because
// the report is old.
func checkDelivered(ctx context.Context, r kube.Reader, site string, name fleet.ClusterName,
	judge func(*workv1.ManifestWork) step.Finding) step.Finding {
	key := client.ObjectKey{Namespace: site, Name: WorkName(name)}
	w := &workv1.ManifestWork{}
	err := r.Get(ctx, key, w)
	switch {
	case apierrors.IsNotFound(err):
		return step.Pending("not delivered yet").On("ManifestWork %s", key)
	case err != nil:
		return kube.Unknown(err).On("ManifestWork %s", key)
	case w.DeletionTimestamp != nil:
		return step.Broken("it is being deleted").On("ManifestWork %s", key)
	}
	f := judge(w)
	if f.Object == "" {
		f = f.On("ManifestWork %s", key)
	}
	if f.State == step.StateOK {
		return f
	}
	why, err := SiteState(ctx, r, site)
	switch {
	case err != nil:
		return kube.Unknown(err).On("ManagedCluster %s", site)
	case why != "":
		return step.Pending("the site is not available (%s)", why).On("ManagedCluster %s", site).WithTrouble().
			RecheckAfter(LostAfter)
	}
	return f
}

// SiteState returns why a site is not available, or "" if it is.
func SiteState(ctx context.Context, r kube.Reader, site string) (string, error) {
	cluster := &clusterv1.ManagedCluster{}
	err := r.Get(ctx, client.ObjectKey{Name: site}, cluster)
	if apierrors.IsNotFound(err) {
		return "its ManagedCluster is gone", nil
	}
	if err != nil {
		return "", err
	}
	return unavailable(cluster.Status.Conditions), nil
}

func checkApplied(w *workv1.ManifestWork) step.Finding {
	if applied(w, w.Status.Conditions) {
		return step.OK("applied on site %s", w.Namespace)
	}
	if why := refused(w, &w.Status); why != "" {
		return step.Pending("%s", why).WithTrouble()
	}
	return step.Pending("not applied on site %s yet", w.Namespace)
}

func checkAvailable(f Feedback) step.Finding {
	status, reason, message := f.Available()
	switch {
	case status == "True":
		return step.OK("available at %s", f.Endpoint())
	case f.Invalid() != "":
		return step.Pending("ValidConfiguration False (%s)", f.Invalid()).WithTrouble()
	case status == "":
		return step.Pending("the site has reported nothing yet")
	}
	return step.Pending("not available (%s) %s", reason, message)
}

// checkNodes compares the nodes of each pool with the size in its manifest.
func checkNodes(w *workv1.ManifestWork, f Feedback) step.Finding {
	pools, err := poolsOf(w)
	if err != nil {
		return unusable(err)
	}
	all := int64(0)
	for i := range pools {
		size, reported := hostedcluster.SizeOf(&pools[i]), f.Pools[pools[i].Name]
		switch {
		case reported.Nodes == nil && size.Max > 0:
			return step.Pending("the site has not reported the nodes of NodePool %s yet", pools[i].Name)
		case reported.Nodes == nil:
			continue
		case !size.Contains(int(*reported.Nodes)):
			return step.Pending("NodePool %s: %d of %s", pools[i].Name, *reported.Nodes, size.Nodes())
		}
		all += *reported.Nodes
	}
	return step.OK("%d", all)
}

// checkComplete checks that the control plane has completely rolled out the release of the manifests, and that
// no pool is replacing nodes.
func checkComplete(w *workv1.ManifestWork, f Feedback) step.Finding {
	objects, err := manifests(w)
	if err != nil {
		return unusable(err)
	}
	version, complete := f.Version()
	for _, u := range objects {
		image := kube.Text(u, "spec", "release", "image")
		if u.GetKind() == kube.HostedCluster.Kind && !isRelease(image, version, f.Image()) {
			return step.Pending("the control plane has not begun with release %s yet", image)
		}
	}
	switch {
	case version == "":
		return step.Pending("the site has reported no version yet")
	case !complete:
		return step.Pending("the control plane goes to %s", version)
	case f.Degraded() != "":
		return step.Pending("Degraded (%s)", f.Degraded()).WithTrouble()
	}
	for name, pool := range f.Pools {
		if _, updating := pool.Version(); updating {
			return step.Pending("NodePool %s is replacing its nodes", name)
		}
	}
	return step.OK("%s", version)
}

// isRelease reports whether a version that a site reports, with its image, is that of a release image. The old
// version is complete, too, until the site's operator begins with the new one. HyperShift reports a digest for a
// tag, so a tag is compared by the version in it; a tag without a version always matches.
func isRelease(image, version, versionImage string) bool {
	if _, digest, has := strings.Cut(image, "@"); has {
		return strings.HasSuffix(versionImage, "@"+digest)
	}
	tag, known := tagged(image)
	siteVersion, parsed := hostedcluster.ParseVersion(version)
	return image == versionImage || !known || parsed && tag.Compare(siteVersion) == 0
}

// poolsOf returns the NodePools of a ManifestWork.
func poolsOf(w *workv1.ManifestWork) ([]hyperv1.NodePool, error) {
	objects, err := manifests(w)
	if err != nil {
		return nil, err
	}
	var all []hyperv1.NodePool
	for _, u := range objects {
		if u.GetKind() != kube.NodePool.Kind {
			continue
		}
		np, err := poolOf(u)
		if err != nil {
			return nil, err
		}
		all = append(all, *np)
	}
	return all, nil
}

package hub

import (
	"context"
	"fmt"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	workv1 "open-cluster-management.io/api/work/v1"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// chained makes each step need the one before.
func chained(all ...step.Step) []step.Step {
	var before []step.ID
	for i := range all {
		all[i].Docs, all[i].Needs = docs, before
		before = []step.ID{all[i].ID}
	}
	return all
}

// Stop returns the steps that stop the workers of a cluster. They store the sizes of the pools as hcctl stop
// does.
func Stop(c *kube.Client, one *Cluster, wait bool) []step.Step {
	return power(c, one, wait, "workers stopped", func(u *unstructured.Unstructured, np *hyperv1.NodePool) {
		size := hostedcluster.SizeOf(np)
		if size == (hostedcluster.Size{}) {
			return
		}
		annotations := u.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[hostedcluster.StoppedAnnotation] = size.Encode()
		u.SetAnnotations(annotations)
		setSize(u, hostedcluster.Size{})
	})
}

// Start returns the steps that restore the workers of a stopped cluster.
func Start(c *kube.Client, one *Cluster, wait bool) []step.Step {
	return power(c, one, wait, "workers started", func(u *unstructured.Unstructured, np *hyperv1.NodePool) {
		code, stopped := np.Annotations[hostedcluster.StoppedAnnotation]
		if !stopped {
			return
		}
		annotations := u.GetAnnotations()
		delete(annotations, hostedcluster.StoppedAnnotation)
		u.SetAnnotations(annotations)
		size, valid := hostedcluster.ParseSize(code)
		if valid && hostedcluster.SizeOf(np) == (hostedcluster.Size{}) {
			setSize(u, size)
		}
	})
}

// power returns the steps that change the size of every pool.
func power(c *kube.Client, one *Cluster, wait bool, title string,
	change func(*unstructured.Unstructured, *hyperv1.NodePool)) []step.Step {
	all := []step.Step{editing(c, one.Site, one.ClusterName(), step.Step{ID: "hub/work", Title: title},
		func(have []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
			return eachPool(have, change)
		})}
	if wait {
		followed := followed(c, one.Site, one.ClusterName(), options.WaitNodes)
		all = append(all, followed[0], followed[2])
	}
	return chained(all...)
}

// eachPool changes a copy of every NodePool.
func eachPool(have []*unstructured.Unstructured, change func(*unstructured.Unstructured, *hyperv1.NodePool)) (
	[]*unstructured.Unstructured, error) {
	out := make([]*unstructured.Unstructured, len(have))
	for i, u := range have {
		if out[i] = u.DeepCopy(); u.GetKind() != kube.NodePool.Kind {
			continue
		}
		np, err := poolOf(u)
		if err != nil {
			return nil, err
		}
		change(out[i], np)
	}
	return out, nil
}

// UpgradeOptions are the options of Upgrade.
type UpgradeOptions struct {
	// Image is the release image; empty changes only the channel.
	Image string
	// Channel is the update channel to set; empty does not change it.
	Channel string
	// Wait waits until the control plane is complete. Without it the node pools are not upgraded.
	Wait bool
	// ControlPlaneOnly does not upgrade the node pools.
	ControlPlaneOnly bool
	// Force allows more than one minor version at once, and makes HyperShift ignore the cluster's own veto.
	Force bool
}

func (o UpgradeOptions) title() string {
	if o.Image == "" {
		return "update channel written"
	}
	return "control plane's release written"
}

// Upgrade returns the steps that upgrade a cluster to a release image: the control plane, and when it is
// complete the node pools. It returns an error for an older version and for more than one minor version at once,
// if the image's tag shows that.
func Upgrade(c *kube.Client, one *Cluster, opt UpgradeOptions) ([]step.Step, error) {
	image := opt.Image
	if err := upgradable(one, image, opt.Force); err != nil {
		return nil, err
	}
	control := editing(c, one.Site, one.ClusterName(), step.Step{ID: "hub/control-plane",
		Title: opt.title()}, opt.writtenTo)
	if !opt.Wait {
		return chained(control), nil
	}
	complete := followed(c, one.Site, one.ClusterName(), options.WaitComplete)
	if image == "" {
		return chained(control, complete[0]), nil
	}
	if opt.ControlPlaneOnly {
		return chained(control, complete[0], complete[3]), nil
	}
	pools := editing(c, one.Site, one.ClusterName(), step.Step{ID: "hub/node-pools", Title: "node pools' release written"},
		func(have []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
			return released(have, kube.NodePool, image)
		})
	version := step.Step{ID: "nodepools/complete", Title: "node pools", Check: c.Reading(
		func(ctx context.Context, r kube.Reader) step.Finding {
			return checkDelivered(ctx, r, one.Site, one.ClusterName(), func(w *workv1.ManifestWork) step.Finding {
				return checkPools(w, ReadFeedback(one.ClusterName(), w.Status.ResourceStatus.Manifests))
			})
		})}
	return chained(control, complete[0], complete[3], pools, renamed(complete[0], "hub/applied-pools"), version), nil
}

// writtenTo returns the objects with the options set in the HostedCluster.
func (o UpgradeOptions) writtenTo(have []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	out, err := released(have, kube.HostedCluster, o.Image)
	if err != nil {
		return nil, err
	}
	for _, u := range out {
		if u.GetKind() != kube.HostedCluster.Kind {
			continue
		}
		if o.Channel != "" {
			if err := unstructured.SetNestedField(u.Object, o.Channel, "spec", "channel"); err != nil {
				return nil, fmt.Errorf("%s %s: %w", u.GetKind(), kube.Name(u), err)
			}
		}
		if o.Force {
			annotations := u.GetAnnotations()
			if annotations == nil {
				annotations = map[string]string{}
			}
			annotations[hyperv1.ForceUpgradeToAnnotation] = o.Image
			u.SetAnnotations(annotations)
		}
	}
	return out, nil
}

func renamed(s step.Step, id step.ID) step.Step {
	s.ID = id
	return s
}

// checkPools returns whether every pool has the control plane's version and all its nodes.
func checkPools(w *workv1.ManifestWork, f Feedback) step.Finding {
	version, _ := f.Version()
	pools, err := poolsOf(w)
	if err != nil {
		return unusable(err)
	}
	for i := range pools {
		if now, updating := f.Pools[pools[i].Name].Version(); updating || now != version {
			return step.Pending("NodePool %s goes to %s", pools[i].Name, version)
		}
	}
	return checkNodes(w, f)
}

// released returns the objects with the release image set in those of a kind; an empty image changes nothing.
func released(have []*unstructured.Unstructured, kind kube.Kind, image string) ([]*unstructured.Unstructured, error) {
	out := make([]*unstructured.Unstructured, len(have))
	for i, u := range have {
		if out[i] = u.DeepCopy(); u.GetKind() != kind.Kind || image == "" {
			continue
		}
		if err := unstructured.SetNestedField(out[i].Object, image, "spec", "release", "image"); err != nil {
			return nil, fmt.Errorf("%s %s: %w", u.GetKind(), kube.Name(u), err)
		}
	}
	return out, nil
}

// upgradable returns an error for what HyperShift would refuse, if the tag of the image shows its version.
func upgradable(one *Cluster, image string, force bool) error {
	to, known := tagged(image)
	from, runs := hostedcluster.ParseVersion(one.Version)
	switch {
	case !known || !runs:
		return nil
	case to.Compare(from) < 0:
		return fmt.Errorf("%s runs %s, and %s is older", one.Subject(), one.Version, image)
	case to.MinorNumber() > from.MinorNumber()+1 && !force:
		return fmt.Errorf("%s runs %s: %s is more than one minor version ahead", one.Subject(), one.Version, image)
	}
	return nil
}

// tagged returns the version in the tag of a release image, such as 4.20.3 in 4.20.3-multi; false for other tags
// and for digests.
func tagged(image string) (hostedcluster.Version, bool) {
	_, tag, has := strings.Cut(image[strings.LastIndex(image, "/")+1:], ":")
	if !has || strings.Contains(image, "@") {
		return hostedcluster.Version{}, false
	}
	for _, arch := range []string{"-multi", "-x86_64", "-aarch64", "-ppc64le", "-s390x"} {
		tag = strings.TrimSuffix(tag, arch)
	}
	return hostedcluster.ParseVersion(tag)
}

// Delete returns the steps that delete a cluster: its ManifestWork, then the one with its Secrets, and then its
// assignment.
func Delete(c *kube.Client, site string, name fleet.ClusterName) []step.Step {
	work, gone := deleting(c, site, WorkName(name), "work", "hosted cluster")
	secrets, without := deleting(c, site, SecretsName(name), "secrets", "Secrets")
	return chained(work, gone, secrets, without, unassign(c, site, name))
}

// Gone returns the steps that wait until a cluster is deleted.
func Gone(c *kube.Client, site string, name fleet.ClusterName) []step.Step {
	_, gone := deleting(c, site, WorkName(name), "work", "hosted cluster")
	return chained(gone)
}

// deleting returns the steps that delete a ManifestWork and wait until it no longer exists.
func deleting(c *kube.Client, site, name, id, what string) (written, gone step.Step) {
	key := client.ObjectKey{Namespace: site, Name: name}
	written = step.Step{ID: step.ID("hub/delete-" + id), Title: what + " deleted",
		Check: c.Reading(func(ctx context.Context, r kube.Reader) step.Finding {
			w := &workv1.ManifestWork{}
			err := r.Get(ctx, key, w)
			switch {
			case apierrors.IsNotFound(err):
				return step.OK("nothing is left").On("ManifestWork %s", key)
			case err != nil:
				return kube.Unknown(err).On("ManifestWork %s", key)
			case w.DeletionTimestamp != nil:
				return step.OK("being deleted").On("ManifestWork %s", key)
			}
			return step.Missing("it exists").On("ManifestWork %s", key)
		}),
		Apply: func(ctx context.Context) (step.Change, error) {
			return remove(ctx, c, key)
		}}
	gone = step.Step{ID: step.ID("hub/gone-" + id), Title: what + " gone from the site",
		Check: c.Reading(func(ctx context.Context, r kube.Reader) step.Finding { return checkGone(ctx, r, key) })}
	return written, gone
}

// checkGone returns what the deletion of a ManifestWork waits for.
func checkGone(ctx context.Context, r kube.Reader, key client.ObjectKey) step.Finding {
	w := &workv1.ManifestWork{}
	err := r.Get(ctx, key, w)
	switch {
	case apierrors.IsNotFound(err):
		return step.OK("gone")
	case err != nil:
		return kube.Unknown(err).On("ManifestWork %s", key)
	}
	why, since := "", ""
	if site, err := SiteState(ctx, r, key.Namespace); err != nil {
		return kube.Unknown(err).On("ManagedCluster %s", key.Namespace)
	} else if site != "" {
		return step.Pending("the site is not available (%s): it deletes the cluster when it is back", site).
			On("ManagedCluster %s", key.Namespace).WithTrouble().RecheckAfter(LostAfter)
	}
	if c := meta.FindStatusCondition(w.Status.Conditions, workv1.WorkDeleting); c != nil {
		why = ": " + sanitize.Value(c.Message)
	}
	if w.DeletionTimestamp != nil {
		since = fmt.Sprintf(" since %s", w.DeletionTimestamp.UTC().Format(time.RFC3339))
	}
	return step.Pending("the site deletes it%s%s", since, why).On("ManifestWork %s", key)
}

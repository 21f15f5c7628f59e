package argocd

import (
	"context"
	"errors"
	"fmt"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/crds"
)

// requestTimeout bounds each request to a hosted cluster, whose API server may be gone.
const requestTimeout = 5 * time.Second

// hosted plays, in hosted clusters with an API server of their own, what Argo CD waits for there: the Lifecycle Manager
// for Subscriptions with manual approval, HyperConverged's operator, KubeVirt's for VirtualMachines that are started
// and stopped, and a kubelet for Jobs. Nothing runs in a VM.
type hosted struct {
	argo *Argo
	// ready has the hosted clusters that have the kinds of a new OpenShift, by the UID of the HostedCluster.
	ready map[types.UID]bool
	// jobs are those that run or have run, by UID.
	jobs map[types.UID]*job
}

// job is a Job's program. done is closed when it has ended.
type job struct {
	done   chan struct{}
	code   int32
	output string
}

func newHosted(a *Argo) *hosted {
	return &hosted{argo: a, ready: map[types.UID]bool{}, jobs: map[types.UID]*job{}}
}

// look looks at each hosted cluster once. One that does not answer does not keep it from the others.
func (h *hosted) look(ctx context.Context) error {
	list := &hyperv1.HostedClusterList{}
	if err := h.argo.Client.List(ctx, list); err != nil {
		return err
	}
	argo, err := h.decided(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for i := range list.Items {
		hc := &list.Items[i]
		if hc.Status.KubeConfig == nil || hc.DeletionTimestamp != nil ||
			!meta.IsStatusConditionTrue(hc.Status.Conditions, string(hyperv1.HostedClusterAvailable)) {
			continue
		}
		if err := h.play(ctx, hc, argo[hc.Name]); err != nil {
			errs = append(errs, fmt.Errorf("hosted cluster %s/%s: %w", hc.Namespace, hc.Name, err))
		}
	}
	return errors.Join(errs...)
}

// play plays one hosted cluster. argo is the namespace of the Argo CD that has to know it by a GitOpsCluster, or empty.
func (h *hosted) play(ctx context.Context, hc *hyperv1.HostedCluster, argo string) error {
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: hc.Namespace, Name: hc.Status.KubeConfig.Name}
	if err := h.argo.Client.Get(ctx, key, secret); err != nil {
		return err
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(secret.Data["kubeconfig"])
	if err != nil {
		return err
	}
	if argo != "" {
		if err := h.register(ctx, argo, hc.Name, config); err != nil {
			return err
		}
	}
	config.Timeout, config.QPS = requestTimeout, -1
	c, err := client.NewWithWatch(config, client.Options{Scheme: h.argo.Client.Scheme()})
	if err != nil {
		return err
	}
	if !h.ready[hc.UID] {
		if err := crds.InstallSome(ctx, c, crds.Birth, "subscriptions.operators.coreos.com",
			"operatorgroups.operators.coreos.com", "installplans.operators.coreos.com"); err != nil {
			return err
		}
		h.ready[hc.UID] = true
	}
	return errors.Join(h.subscriptions(ctx, c), h.hyperConverged(ctx, c), machines(ctx, c), h.runJobs(ctx, c, config))
}

// list lists the objects of a kind. The error is absent if there is no such kind.
func list(ctx context.Context, c client.Client, group, version, kind string) ([]unstructured.Unstructured, error) {
	all := &unstructured.UnstructuredList{}
	all.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: version, Kind: kind + "List"})
	err := c.List(ctx, all)
	return all.Items, err
}

// listAny lists the objects of a kind, none where there is no such kind.
func listAny(ctx context.Context, c client.Client, group, version, kind string) ([]unstructured.Unstructured, error) {
	all, err := list(ctx, c, group, version, kind)
	if absent(err) {
		return nil, nil
	}
	return all, err
}

// absent reports whether an error says that there is no such kind.
func absent(err error) bool { return meta.IsNoMatchError(err) || apierrors.IsNotFound(err) }

// report writes the status of an object, if that differs in one of the fields.
func report(ctx context.Context, c client.Client, u *unstructured.Unstructured, status object) error {
	have, _, _ := unstructured.NestedMap(u.Object, "status")
	same := true
	for field, value := range status {
		same = same && fmt.Sprint(have[field]) == fmt.Sprint(value)
	}
	if same {
		return nil
	}
	before := u.DeepCopy()
	if have == nil {
		have = object{}
	}
	for field, value := range status {
		have[field] = value
	}
	u.Object["status"] = have
	return c.Status().Patch(ctx, u, client.MergeFrom(before))
}

// condition is one as these operators write it. Its time is that of the object, so that it stays the same.
func condition(u *unstructured.Unstructured, kind, status, reason string) any {
	return object{"type": kind, "status": status, "reason": reason, "message": "",
		"lastTransitionTime": u.GetCreationTimestamp().UTC().Format(time.RFC3339)}
}

// runJobs runs each Job that has not ended as a kubelet would: the Runner's program, and any other ends well at once.
func (h *hosted) runJobs(ctx context.Context, c client.Client, config *rest.Config) error {
	all, err := listAny(ctx, c, "batch", "v1", "Job")
	if err != nil {
		return err
	}
	var errs []error
	for i := range all {
		if u := &all[i]; u.GetDeletionTimestamp() == nil {
			errs = append(errs, h.runJob(ctx, c, config, u))
		}
	}
	return errors.Join(errs...)
}

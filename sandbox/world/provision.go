package world

import (
	"context"
	"embed"
	"fmt"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/profile"
)

//go:embed ready/*.yaml acm/*.yaml
var births embed.FS

// provisioner is the field manager of what Provision applies.
const provisioner = client.FieldOwner("sandbox-provisioner")

// pollInterval is the time between two attempts of Provision.
const pollInterval = 200 * time.Millisecond

// Provision installs what the profile has beyond OpenShift itself, as an administrator would with manifests, and
// returns once everything is healthy. It retries until ctx ends, because CRDs come late and webhooks refuse at first;
// the error names what is missing. c must not have a cache.
func Provision(ctx context.Context, c client.Client, p profile.Profile) error {
	objects, err := render(births, p.Birth+"/*.yaml", p)
	if err != nil {
		return err
	}
	group, gctx := errgroup.WithContext(ctx)
	for _, o := range objects {
		group.Go(func() error {
			return until(gctx, "apply "+name(o), func(ctx context.Context) error {
				return c.Apply(ctx, client.ApplyConfigurationFromUnstructured(o.DeepCopy()), provisioner, client.ForceOwnership)
			})
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return Healthy(ctx, c, p)
}

// Healthy returns once everything that Provision installs is healthy.
func Healthy(ctx context.Context, c client.Client, p profile.Profile) error {
	objects, err := render(births, p.Birth+"/*.yaml", p)
	if err != nil {
		return err
	}
	group, gctx := errgroup.WithContext(ctx)
	for _, o := range append(objects, operatorObjects(p)...) {
		check, ok := checks[o.GetKind()]
		if !ok {
			continue
		}
		group.Go(func() error {
			return until(gctx, "wait for "+name(o), func(ctx context.Context) error {
				got := &unstructured.Unstructured{}
				got.SetGroupVersionKind(o.GroupVersionKind())
				if err := c.Get(ctx, client.ObjectKeyFromObject(o), got); err != nil {
					return err
				}
				return check(got.Object)
			})
		})
	}
	group.Go(func() error {
		return until(gctx, "wait for pods", func(ctx context.Context) error { return podsReady(ctx, c) })
	})
	return group.Wait()
}

// RoutersRun returns once the ingress operator has seen the routers of the default IngressController run, as on a
// cluster that has been installed. A profile without one has no routers.
func RoutersRun(ctx context.Context, c client.Client) error {
	runs := condition("DeploymentReplicasAllAvailable", "True")
	return until(ctx, "wait for the routers", func(ctx context.Context) error {
		ic := &unstructured.Unstructured{}
		ic.SetGroupVersionKind(operatorv1.GroupVersion.WithKind("IngressController"))
		err := c.Get(ctx, client.ObjectKey{Namespace: "openshift-ingress-operator", Name: "default"}, ic)
		if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
			return nil
		}
		if err != nil {
			return err
		}
		return runs(ic.Object)
	})
}

// until retries until there is no error or ctx ends.
func until(ctx context.Context, what string, try func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		if err := try(ctx); err != nil {
			if ctx.Err() == nil || last == nil {
				last = err
			}
			return false, nil
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w: %w", what, err, last)
	}
	return nil
}

func podsReady(ctx context.Context, c client.Client) error {
	list := &corev1.PodList{}
	if err := c.List(ctx, list); err != nil {
		return err
	}
	for i := range list.Items {
		pod := &list.Items[i]
		if pod.Status.Phase == corev1.PodSucceeded {
			continue
		}
		if err := condition("Ready",
			"True")(map[string]any{"status": map[string]any{"conditions": podConditions(pod)}}); err != nil {
			return fmt.Errorf("pod %s/%s: %w", pod.Namespace, pod.Name, err)
		}
	}
	return nil
}

func podConditions(pod *corev1.Pod) []any {
	var out []any
	for _, c := range pod.Status.Conditions {
		out = append(out, map[string]any{"type": string(c.Type), "status": string(c.Status)})
	}
	return out
}

func name(o *unstructured.Unstructured) string {
	return o.GetKind() + " " + client.ObjectKeyFromObject(o).String()
}

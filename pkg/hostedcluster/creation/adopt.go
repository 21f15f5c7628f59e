package creation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/release"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// firstKeeping is the first HyperShift minor version whose operator can keep a control plane's namespace, compared with
// the newest one that it supports (SkipControlPlaneNamespaceDeletionAnnotation, 4.16).
const firstKeeping = 16

// adoptNamespace checks whether an existing control plane namespace can be adopted, and records its objects. It fails
// with *options.Error, with a refusal, or with the error of a read: objects that are not known could not be kept.
func (p *Plan) adoptNamespace(ctx context.Context, r kube.Reader) error {
	if !p.Options.AdoptNamespace || p.exists {
		return nil
	}
	ns := &corev1.Namespace{}
	err := r.Get(ctx, client.ObjectKey{Name: p.controlPlane()}, ns)
	switch {
	case apierrors.IsNotFound(err) || err == nil && ns.DeletionTimestamp != nil:
		return nil // checkNameFree waits for a namespace in deletion
	case err != nil:
		return fmt.Errorf("read Namespace %s: %w", p.controlPlane(), err)
	}
	if supported, err := release.SupportedVersions(ctx, r); err == nil && len(supported) > 0 &&
		!slices.ContainsFunc(supported, func(minor string) bool {
			v, ok := hostedcluster.ParseVersion(minor + ".0")
			return ok && v.MinorNumber() >= firstKeeping
		}) {
		return options.Errorf("adoptNamespace", "true", "needs HyperShift 4.%d or later, which leaves the namespace when "+
			"the cluster is deleted; this operator supports %s", firstKeeping, strings.Join(supported, ", "))
	}
	adopted := hostedcluster.AdoptedOf(ns)
	if adopted.Cluster == p.key().String() { // an unfinished create
		p.adopted, p.Inputs.Adopts = &adopted, true
		return nil
	}
	var refused []string
	if of := servicesOf(ns); of != "" {
		refused = append(refused, "it has the services of HostedCluster "+of)
	}
	if adopted.Cluster != "" {
		refused = append(refused, "it was taken over for HostedCluster "+adopted.Cluster)
	}
	if _, plane := ns.Labels[hostedcluster.ControlPlaneLabel]; plane {
		refused = append(refused, "it is a control plane's (label "+hostedcluster.ControlPlaneLabel+")")
	}
	var mu sync.Mutex
	var objects, foreign []string
	_, err = r.Remaining(ctx, ns.Name, func(o *metav1.PartialObjectMetadata) bool {
		mu.Lock()
		defer mu.Unlock()
		objects = append(objects, hostedcluster.AdoptedName(o))
		if why := p.notAdoptable(o); why != "" {
			foreign = append(foreign, o.Kind+" "+o.Name+" "+why)
		}
		return true
	})
	if err != nil {
		return fmt.Errorf("what is in Namespace %s: %w", ns.Name, err)
	}
	slices.Sort(foreign)
	if refused = append(refused, foreign...); len(refused) > 0 {
		return failure.New(failure.Final, hint.New("only a namespace with objects of your own, such as network definitions, "+
			"Secrets and quotas, can be taken over: move the others, or choose another %s", hint.Flag("name")),
			"Namespace %s cannot be taken over: %s", ns.Name, strings.Join(refused, "; "))
	}
	p.adopted = &hostedcluster.Adopted{Cluster: p.key().String(), Labels: slices.Collect(maps.Keys(ns.Labels)),
		Objects: objects}
	p.Inputs.Adopts = true
	return nil
}

// notAdoptable returns why an object prevents the adoption of its namespace; empty if it does not. Such objects belong
// to another cluster, or run already.
func (p *Plan) notAdoptable(o *metav1.PartialObjectMetadata) string {
	group := o.GroupVersionKind().Group
	switch of := hostedcluster.MarkOf(o).Cluster; {
	case of != "" && of != p.key().String():
		return fmt.Sprintf("is marked as that of HostedCluster %q", of)
	case strings.HasSuffix(group, "hypershift.openshift.io") || strings.HasSuffix(group, "cluster.x-k8s.io"):
		return "belongs to a hosted cluster"
	case slices.Contains([]string{"Pod", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob",
		"VirtualMachine", "VirtualMachineInstance"}, o.Kind):
		return "runs in it already"
	}
	for _, keys := range []map[string]string{o.Labels, o.Annotations} {
		for key := range keys {
			if strings.Contains(key, "hypershift.openshift.io/") && key != hostedcluster.SafeToDeleteLabel {
				return "has " + key + ", which a hosted cluster's objects have"
			}
		}
	}
	return ""
}

// adoptNamespaceStep returns the step that records the namespace's state, so that delete restores it.
func (p *Plan) adoptNamespaceStep() step.Step {
	ns := func() *corev1.Namespace {
		return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: p.controlPlane()}}
	}
	return step.Step{
		ID: adoptedStep, Title: "Namespace " + p.controlPlane() + " taken over", Group: ObjectsGroup,
		Needs: []step.ID{namespaceStep},
		Check: p.client.Reading(func(ctx context.Context, r kube.Reader) step.Finding {
			have := ns()
			if err := r.Get(ctx, client.ObjectKeyFromObject(have), have); err != nil {
				return kube.Unknown(err).On("Namespace %s", have.Name)
			}
			if hostedcluster.AdoptedOf(have).Cluster != p.key().String() {
				return step.Missing("is to be taken over; %d objects in it stay", len(p.adopted.Objects)).
					On("Namespace %s", have.Name)
			}
			return step.OK("what is in it is written down").On("Namespace %s", have.Name)
		}),
		Apply: func(ctx context.Context) (step.Change, error) {
			have := ns()
			if err := p.client.Get(ctx, client.ObjectKeyFromObject(have), have); err != nil {
				return "", fmt.Errorf("read Namespace %s: %w", have.Name, err)
			}
			text, err := p.adopted.Text()
			if err != nil {
				return "", err
			}
			return hostedcluster.Edit(ctx, p.client, have, map[string]any{"metadata": map[string]any{
				"annotations": map[string]any{hostedcluster.AdoptedAnnotation: text}}})
		},
	}
}

package guest

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/operator"
)

// PlayBudgets writes the status of a guest's PodDisruptionBudgets, by which its API server decides on evictions: no
// disruption controller runs there. It expects the pods that exist, where the real one asks their controllers.
func PlayBudgets(ctx context.Context, c client.Client) error {
	budgets := &policyv1.PodDisruptionBudgetList{}
	if err := c.List(ctx, budgets); err != nil {
		return fmt.Errorf("list the disruption budgets of a guest: %w", err)
	}
	for i := range budgets.Items {
		if err := playBudget(ctx, c, &budgets.Items[i]); err != nil {
			return err
		}
	}
	return nil
}

func playBudget(ctx context.Context, c client.Client, b *policyv1.PodDisruptionBudget) error {
	selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
	if err != nil || operator.WrittenByOthers(b, "f:disruptionsAllowed") {
		return err
	}
	pods := &corev1.PodList{}
	if err := c.List(ctx, pods, client.InNamespace(b.Namespace),
		client.MatchingLabelsSelector{Selector: selector}); err != nil {
		return fmt.Errorf("list the pods of PodDisruptionBudget %s/%s: %w", b.Namespace, b.Name, err)
	}
	expected, healthy := 0, 0
	for i := range pods.Items {
		if pods.Items[i].DeletionTimestamp != nil {
			continue
		}
		expected++
		if podReady(&pods.Items[i]) {
			healthy++
		}
	}
	wanted, err := wantedHealthy(b, expected)
	if err != nil {
		return fmt.Errorf("PodDisruptionBudget %s/%s: %w", b.Namespace, b.Name, err)
	}
	before := b.DeepCopy()
	s := &b.Status
	s.ObservedGeneration = b.Generation
	s.ExpectedPods, s.CurrentHealthy, s.DesiredHealthy = int32(expected), int32(healthy), int32(wanted)
	s.DisruptionsAllowed = max(0, s.CurrentHealthy-s.DesiredHealthy)
	s.DisruptedPods = nil
	if equality.Semantic.DeepEqual(before.Status, b.Status) {
		return nil
	}
	return ignoreRaces(c.Status().Update(ctx, b))
}

// wantedHealthy is the number of pods that must stay healthy.
func wantedHealthy(b *policyv1.PodDisruptionBudget, expected int) (int, error) {
	if b.Spec.MaxUnavailable != nil {
		n, err := intstr.GetScaledValueFromIntOrPercent(b.Spec.MaxUnavailable, expected, true)
		return max(0, expected-n), err
	}
	if b.Spec.MinAvailable != nil {
		return intstr.GetScaledValueFromIntOrPercent(b.Spec.MinAvailable, expected, true)
	}
	return 0, nil
}

func podReady(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

package guest

import (
	"context"
	"fmt"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
	"github.com/hcctl/hcctl/sandbox/operator"
)

// Summary identifies the content of a report. The guest already has a report with the same summary.
func (o Rollout) Summary(channel string) string {
	return fmt.Sprint(o.states(), o.conditions(), o.Updates, o.Payload, o.Done, channel)
}

// Report writes ClusterOperators and ClusterVersion into the guest, and returns the status for the HostedControlPlane.
func Report(ctx context.Context, guest client.Client, hcp *hyperv1.HostedControlPlane,
	o *Rollout) (*hyperv1.ClusterVersionStatus, error) {
	for _, s := range o.states() {
		if err := writeOperator(ctx, guest, s); err != nil {
			return nil, err
		}
	}
	return writeVersion(ctx, guest, hcp, o)
}

func writeOperator(ctx context.Context, guest client.Client, s operatorState) error {
	o := &configv1.ClusterOperator{ObjectMeta: metav1.ObjectMeta{Name: s.name}}
	if err := ensureIn(ctx, guest, o); err != nil {
		return err
	}
	before := o.DeepCopy()
	for _, c := range s.conditions() {
		if !operator.WrittenByOthers(o, operator.ConditionPath(c.Kind)...) {
			setOperatorCondition(&o.Status.Conditions, c)
		}
	}
	if s.version != "" && !operator.WrittenByOthers(o, "f:versions") {
		o.Status.Versions = []configv1.OperandVersion{{Name: "operator", Version: s.version}}
	}
	if equality.Semantic.DeepEqual(before.Status, o.Status) {
		return nil
	}
	if err := guest.Status().Update(ctx, o); err != nil {
		return fmt.Errorf("write ClusterOperator %s of the guest: %w", s.name, err)
	}
	return nil
}

// writeVersion writes the guest's ClusterVersion and returns the status for the HostedControlPlane.
func writeVersion(ctx context.Context, guest client.Client, hcp *hyperv1.HostedControlPlane,
	o *Rollout) (*hyperv1.ClusterVersionStatus, error) {
	cv := &configv1.ClusterVersion{ObjectMeta: metav1.ObjectMeta{Name: "version"}}
	cv.Spec.ClusterID = configv1.ClusterID(hcp.Spec.ClusterID)
	if err := ensureIn(ctx, guest, cv); err != nil {
		return nil, err
	}
	if cv.Spec.Channel != hcp.Spec.Channel || cv.Spec.ClusterID != configv1.ClusterID(hcp.Spec.ClusterID) {
		cv.Spec.Channel, cv.Spec.ClusterID = hcp.Spec.Channel, configv1.ClusterID(hcp.Spec.ClusterID)
		if err := guest.Update(ctx, cv); err != nil {
			return nil, fmt.Errorf("write the spec of the guest's ClusterVersion: %w", err)
		}
	}
	reported := o.Status(hcp, max(1, cv.Generation), metav1.Now())
	before := cv.DeepCopy()
	cv.Status.Desired, cv.Status.History = reported.Desired, reported.History
	cv.Status.ObservedGeneration = reported.ObservedGeneration
	cv.Status.AvailableUpdates, cv.Status.ConditionalUpdates = o.Updates.Available, o.Updates.Conditional
	cv.Status.VersionHash = metadata.ShortHash(o.Payload.Image, 11)
	for _, c := range o.conditions() {
		setOperatorCondition(&cv.Status.Conditions, c)
	}
	if o.NotUpgradeable == "" {
		cv.Status.Conditions = withoutCondition(cv.Status.Conditions, configv1.OperatorUpgradeable)
	}
	if equality.Semantic.DeepEqual(before.Status, cv.Status) {
		return reported, nil
	}
	if err := guest.Status().Update(ctx, cv); err != nil {
		return nil, fmt.Errorf("write the status of the guest's ClusterVersion: %w", err)
	}
	return reported, nil
}

// Troubled returns the cluster operators of a guest that a user or a test has made unavailable or degraded. The cluster
// version operator tells of them as of others.
func Troubled(ctx context.Context, guest client.Client) (unavailable, degraded []string, err error) {
	list := &configv1.ClusterOperatorList{}
	if err := guest.List(ctx, list); err != nil {
		return nil, nil, fmt.Errorf("list the ClusterOperators of the guest: %w", err)
	}
	for i := range list.Items {
		o := &list.Items[i]
		for _, c := range o.Status.Conditions {
			switch {
			case !operator.WrittenByOthers(o, operator.ConditionPath(string(c.Type))...):
			case c.Type == configv1.OperatorAvailable && c.Status != configv1.ConditionTrue:
				unavailable = append(unavailable, o.Name)
			case c.Type == configv1.OperatorDegraded && c.Status == configv1.ConditionTrue:
				degraded = append(degraded, o.Name)
			}
		}
	}
	return unavailable, degraded, nil
}

// ensureIn reads an object of the guest, and creates it if it does not exist.
func ensureIn(ctx context.Context, guest client.Client, o client.Object) error {
	err := guest.Get(ctx, client.ObjectKeyFromObject(o), o)
	if apierrors.IsNotFound(err) {
		err = guest.Create(ctx, o)
	}
	if err != nil && !meta.IsNoMatchError(err) {
		return fmt.Errorf("keep %s %s of the guest: %w", strings.TrimPrefix(fmt.Sprintf("%T", o), "*v1."), o.GetName(), err)
	}
	return err
}

func setOperatorCondition(list *[]configv1.ClusterOperatorStatusCondition, c status.Condition) {
	fresh := configv1.ClusterOperatorStatusCondition{
		Type: configv1.ClusterStatusConditionType(c.Kind), Status: configv1.ConditionStatus(c.Status),
		Reason: c.Reason, Message: c.Message, LastTransitionTime: metav1.Now(),
	}
	for i := range *list {
		old := &(*list)[i]
		if old.Type != fresh.Type {
			continue
		}
		if old.Status == fresh.Status {
			fresh.LastTransitionTime = old.LastTransitionTime
		}
		*old = fresh
		return
	}
	*list = append(*list, fresh)
}

func withoutCondition(list []configv1.ClusterOperatorStatusCondition,
	kind configv1.ClusterStatusConditionType) []configv1.ClusterOperatorStatusCondition {
	var kept []configv1.ClusterOperatorStatusCondition
	for _, c := range list {
		if c.Type != kind {
			kept = append(kept, c)
		}
	}
	return kept
}

package olm

import (
	"context"
	"strings"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Labels that OLM puts on the Deployments of a ClusterServiceVersion.
const (
	ownerLabel     = "olm.owner"
	ownerKindLabel = "olm.owner.kind"
)

// Stopped returns a finding if the operator is scaled to 0, or nil if it runs or cannot be read. Its
// ClusterServiceVersion stays Succeeded, and the status of its objects is stale.
func Stopped(ctx context.Context, r kube.Reader, op Operator) *step.Finding {
	list := &appsv1.DeploymentList{}
	if err := r.List(ctx, list, client.MatchingLabels{ownerKindLabel: olmv1alpha1.ClusterServiceVersionKind}); err != nil {
		return nil
	}
	for i := range list.Items {
		d := &list.Items[i]
		if !strings.HasPrefix(d.Labels[ownerLabel], op.CSVPrefix) {
			continue
		}
		if f := health.ScaledToZero(d, 1); f != nil {
			f.Message = "the operator is scaled to 0: what it has said of its objects is not renewed"
			if strings.Contains(d.Name, "webhook") { // MetalLB's has a Deployment of its own
				f.Message = "it is scaled to 0: without its webhook nobody can write the operator's objects"
			}
			return f
		}
	}
	return nil
}

// explained judges a version that has not succeeded and adds the problem of its Deployments, such as a pod whose image
// cannot be pulled. OLM reports only that they are not available. It retries, so a failed Deployment is Pending.
func explained(ctx context.Context, r kube.Reader, csv *olmv1alpha1.ClusterServiceVersion) step.Finding {
	f, list := judgeVersion(csv), &appsv1.DeploymentList{}
	if f.State != step.StatePending || csv.DeletionTimestamp != nil || r.List(ctx, list,
		client.InNamespace(csv.Namespace), client.MatchingLabels{ownerLabel: csv.Name}) != nil {
		return f
	}
	for i := range list.Items {
		cause := prereq.JudgeWorkload(ctx, r, &list.Items[i])
		if cause == nil || !cause.Trouble && cause.State != step.StateBroken {
			continue // a Deployment that is only starting explains nothing
		}
		if cause.Trouble {
			cause.State = step.StatePending
		}
		return prereq.Explained(f, cause)
	}
	return f
}

// Holds returns a function that explains why an operator's object is not deleted: the operator is scaled to 0. It
// returns "" if the operator runs.
func Holds(op Operator) func(context.Context, kube.Reader, *unstructured.Unstructured) string {
	return func(ctx context.Context, r kube.Reader, _ *unstructured.Unstructured) string {
		if f := Stopped(ctx, r, op); f != nil {
			return f.Object + ", its operator, is scaled to 0: " + f.Hint.String()
		}
		return ""
	}
}

package deletion

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// secretsStay is OK if the HostedCluster owns none of the cluster's Secrets. The operator makes it the owner of those
// with hostedcluster.SafeToDeleteLabel.
func (d *Plan) secretsStay(ctx context.Context, r kube.Reader) step.Finding {
	going, err := d.ownedSecrets(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("Secrets of namespace %s", d.Namespace)
	}
	if len(going) > 0 {
		return step.Missing("it would be deleted with the HostedCluster, which owns it").On("Secret %s", kube.Name(going[0]))
	}
	return step.OK("none is deleted with the HostedCluster").On("Secrets of namespace %s", d.Namespace)
}

// ownedSecrets returns the cluster's Secrets that would be deleted with it. Secrets that the operator creates do not
// have the label.
func (d *Plan) ownedSecrets(ctx context.Context, r kube.Reader) ([]*corev1.Secret, error) {
	own, err := d.companions(ctx, r)
	var going []*corev1.Secret
	for _, o := range own {
		if s, is := o.(*corev1.Secret); is && s.Labels[hostedcluster.SafeToDeleteLabel] == "true" {
			going = append(going, s)
		}
	}
	return going, err
}

// keepSecrets removes the label and the owner reference to the HostedCluster in one write. The operator does not add an
// owner to a Secret without the label.
func (d *Plan) keepSecrets(ctx context.Context) (step.Change, error) {
	going, err := d.ownedSecrets(ctx, d.client)
	change := step.Unchanged
	for _, s := range going {
		owners := slices.DeleteFunc(slices.Clone(s.OwnerReferences), func(o metav1.OwnerReference) bool {
			return o.UID == d.self.UID
		})
		patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
			"uid": s.UID, "resourceVersion": s.ResourceVersion, "ownerReferences": owners,
			"labels": map[string]any{hostedcluster.SafeToDeleteLabel: nil},
		}})
		if err != nil {
			return change, fmt.Errorf("encode the change of Secret %s: %w", kube.Name(s), err)
		}
		err = d.client.Patch(ctx, s, client.RawPatch(hostedcluster.MergePatch, patch), client.FieldOwner(kube.FieldOwner))
		if err != nil {
			return change, fmt.Errorf("keep Secret %s: %w", kube.Name(s), err)
		}
		change = step.Configured
	}
	return change, err
}

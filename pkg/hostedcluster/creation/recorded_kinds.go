package creation

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
)

// writeRecorded is write for an object whose kind the pull Secret must list. If the Secret of an earlier create does
// not list it, it first removes the list, so that delete searches all kinds.
func (p *Plan) writeRecorded(ctx context.Context, made func() client.Object) error {
	if err := p.forgetKinds(ctx, made()); err != nil {
		return err
	}
	return p.write(ctx, made)
}

func (p *Plan) forgetKinds(ctx context.Context, obj client.Object) error {
	gvk := obj.GetObjectKind().GroupVersionKind()
	if slices.Contains(hostedcluster.UsualKinds(), gvk) {
		return nil
	}
	secret := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: p.Options.Namespace,
		Name: hostedcluster.PullSecretName(p.Options.Name)}}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	have, err := p.metadata(ctx, p.client, secret)
	if err != nil || have == nil {
		return err
	}
	if kinds, recorded := hostedcluster.RecordedKinds(have); !recorded || slices.Contains(kinds, gvk) {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"annotations": map[string]any{hostedcluster.KindsAnnotation: nil}}})
	if err != nil {
		return err
	}
	if err := p.client.Patch(ctx, secret, client.RawPatch(hostedcluster.MergePatch, patch),
		client.FieldOwner(kube.FieldOwner)); err != nil {
		return fmt.Errorf("the kinds noted on Secret %s: %w", kube.Name(secret), err)
	}
	p.cache.store(have.GroupVersionKind(), secret)
	return nil
}

package restore

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/backup/archive"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// checkReferences rejects a backup whose cluster would use Secrets or ConfigMaps of other clusters: each that it refers
// to must be in the backup, or exist and belong to this cluster.
func (p *Plan) checkReferences(ctx context.Context) error {
	names, err := p.content.Names()
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := p.checkReference(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) checkReference(ctx context.Context, name archive.Name) error {
	kinds := []string{name.Kind}
	if name.Kind == "" {
		kinds = []string{"Secret", "ConfigMap"}
	}
	available := false
	for _, kind := range kinds {
		saved := p.content.Object(kind, p.backup.Namespace, name.Name)
		var live client.Object = &corev1.Secret{}
		if kind == "ConfigMap" {
			live = &corev1.ConfigMap{}
		}
		err := p.client.Get(ctx, client.ObjectKey{Namespace: p.backup.Namespace, Name: name.Name}, live)
		switch {
		case apierrors.IsNotFound(err):
			available = available || saved != nil
			continue
		case err != nil:
			return fmt.Errorf("read %s %s/%s: %w", kind, p.backup.Namespace, name.Name, err)
		case !p.owns(live) && !sameContent(saved, live):
			return refusal(hint.New("the file may be forged; if it is yours, delete or rename what exists first"),
				"%s %s/%s exists, which %s of the backup names: it is not that of the backup, and nothing shows that it "+
					"belongs to this cluster",
				kind, p.backup.Namespace, name.Name, name.By)
		}
		available = true
	}
	if !available {
		return refusal(hint.New("the file may be forged; take another backup"),
			"%s of the backup names %s, and the backup lacks it", name.By, name)
	}
	return nil
}

// owns reports whether hcctl wrote an object for the cluster of the backup.
func (p *Plan) owns(o client.Object) bool {
	mark := hostedcluster.MarkOf(o)
	return mark.Cluster == p.key().String() && mark.InfraID == p.backup.Spec.InfraID && hostedcluster.WrittenByHcctl(o)
}

// sameContent reports whether a Secret or ConfigMap has the same data as in the backup.
func sameContent(saved *unstructured.Unstructured, live client.Object) bool {
	if saved == nil {
		return false
	}
	switch o := live.(type) {
	case *corev1.Secret:
		want := &corev1.Secret{}
		err := runtime.DefaultUnstructuredConverter.FromUnstructured(saved.Object, want)
		return err == nil && maps.EqualFunc(want.Data, o.Data, func(a, b []byte) bool { return string(a) == string(b) })
	case *corev1.ConfigMap:
		want := &corev1.ConfigMap{}
		err := runtime.DefaultUnstructuredConverter.FromUnstructured(saved.Object, want)
		return err == nil && maps.Equal(want.Data, o.Data)
	}
	return false
}

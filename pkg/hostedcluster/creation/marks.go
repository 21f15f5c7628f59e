package creation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// metadataCache caches the metadata of objects that the steps read or wrote last, so that marking reads nothing twice.
type metadataCache struct {
	mu      sync.Mutex
	uid     types.UID
	objects map[string]*metav1.PartialObjectMetadata
	// forbidden is the reason why an object could not be marked.
	forbidden string
}

// store stores the metadata of an object from the API server.
func (k *metadataCache) store(gvk schema.GroupVersionKind, o client.Object) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if gvk.Kind == hostedcluster.HostedClusterKind {
		k.uid = o.GetUID()
		return
	}
	meta := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: o.GetNamespace(), Name: o.GetName(), UID: o.GetUID(), ResourceVersion: o.GetResourceVersion(),
		Labels: o.GetLabels(), Annotations: o.GetAnnotations(), ManagedFields: o.GetManagedFields(),
	}}
	meta.SetGroupVersionKind(gvk)
	if k.objects == nil {
		k.objects = map[string]*metav1.PartialObjectMetadata{}
	}
	k.objects[cacheKey(gvk, o)] = meta
}

func cacheKey(gvk schema.GroupVersionKind, o client.Object) string {
	return gvk.GroupKind().String() + " " + kube.Name(o)
}

func (k *metadataCache) get(gvk schema.GroupVersionKind, o client.Object) *metav1.PartialObjectMetadata {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.objects[cacheKey(gvk, o)]
}

func (k *metadataCache) forget(gvk schema.GroupVersionKind, o client.Object) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.objects, cacheKey(gvk, o))
}

// markStep returns the step that writes the HostedCluster's UID to the objects that were created before it.
func (p *Plan) markStep() step.Step {
	s := step.Step{
		ID: marksStep, Title: "objects beside it carry its UID", Group: ObjectsGroup, Needs: []step.ID{hostedClusterStep},
		Check: p.client.Reading(p.checkMarks), Apply: p.writeMarks,
	}
	if p.fresh && !p.planning {
		s.Attempt = p.attemptMarks
	}
	return s
}

// attemptMarks marks the objects that this create has just written. If another create wrote the HostedCluster, it does
// nothing: that create marks them.
func (p *Plan) attemptMarks(ctx context.Context) (step.Change, step.Finding) {
	p.cache.mu.Lock()
	made := p.cache.uid != ""
	p.cache.mu.Unlock()
	if !made {
		return "", step.Pending("the HostedCluster is another's")
	}
	change, err := p.writeMarks(ctx)
	if err != nil {
		return "", kube.Unknown(err).On("HostedCluster %s", p.key())
	}
	return change, p.checkMarks(ctx, p.client)
}

// checkMarks is OK once all objects that hcctl created for the cluster have its UID.
func (p *Plan) checkMarks(ctx context.Context, r kube.Reader) step.Finding {
	if p.planning && p.fresh {
		return step.OK("they get it as soon as it exists").On("HostedCluster %s", p.key())
	}
	open, err := p.unmarked(ctx, r)
	switch {
	case errors.Is(err, errGone):
		return step.Broken("was deleted meanwhile").On("HostedCluster %s", p.key())
	case err != nil:
		return kube.Unknown(err).On("HostedCluster %s", p.key())
	case p.cache.forbidden != "":
		return step.OK("they do not: %s; delete uses its name and infraID instead", p.cache.forbidden).
			On("HostedCluster %s", p.key())
	case len(open) > 0:
		return step.Missing("does not carry the UID of HostedCluster %s yet", p.key()).
			On("%s %s", open[0].Kind, kube.Name(open[0]))
	}
	return step.OK("they carry its UID").On("HostedCluster %s", p.key())
}

var errGone = errors.New("gone")

// clusterUID returns the UID of the HostedCluster.
func (p *Plan) clusterUID(ctx context.Context, r kube.Reader) (types.UID, error) {
	if p.Inputs.UID != "" {
		return p.Inputs.UID, nil
	}
	p.cache.mu.Lock()
	uid := p.cache.uid
	p.cache.mu.Unlock()
	if uid != "" {
		return uid, nil
	}
	hc := &hyperv1.HostedCluster{}
	if err := r.Get(ctx, p.key(), hc); err != nil {
		if apierrors.IsNotFound(err) {
			return "", errGone
		}
		return "", err
	}
	return hc.UID, nil
}

// unmarked returns the cluster's own objects that lack its UID.
func (p *Plan) unmarked(ctx context.Context, r kube.Reader) ([]*metav1.PartialObjectMetadata, error) {
	if _, err := p.clusterUID(ctx, r); err != nil {
		return nil, err
	}
	wanted := objects.Companions(p.Options, p.Inputs)
	if p.Options.MetalLBPool != "" {
		pool := kube.IPAddressPool.New()
		pool.SetNamespace(p.Inputs.MetalLB())
		pool.SetName(p.Options.MetalLBPool)
		wanted = append(wanted, pool)
	}
	var open []*metav1.PartialObjectMetadata
	for _, want := range wanted {
		have, err := p.metadata(ctx, r, want)
		if err != nil {
			return nil, err
		}
		if have != nil && p.missingUID(have) != nil {
			open = append(open, have)
		}
	}
	return open, nil
}

// missingUID returns a function for the annotations that an object lacks; nil if it lacks none or is not the cluster's
// own.
func (p *Plan) missingUID(have *metav1.PartialObjectMetadata) func(types.UID) map[string]string {
	if have.Kind == kube.IPAddressPool.Kind && have.Name == p.Options.MetalLBPool {
		key := hostedcluster.ServesPrefix + p.controlPlane()
		if m := hostedcluster.ParsePoolMark(have.Annotations[key]); m.Cluster == p.key().String() && m.UID == "" {
			return func(uid types.UID) map[string]string {
				return map[string]string{key: hostedcluster.PoolMark(m.Cluster, uid)}
			}
		}
		return nil
	}
	m := hostedcluster.MarkOf(have)
	if m.Cluster != p.key().String() || m.UID != "" || m.InfraID != p.Inputs.InfraID ||
		!hostedcluster.WrittenByHcctl(have) {
		return nil
	}
	return func(uid types.UID) map[string]string {
		return map[string]string{hostedcluster.ClusterUIDAnnotation: string(uid)}
	}
}

// metadata returns the cached metadata of an object, or reads it; nil if it does not exist or cannot be read.
func (p *Plan) metadata(ctx context.Context, r kube.Reader, want client.Object) (*metav1.PartialObjectMetadata, error) {
	gvk := want.GetObjectKind().GroupVersionKind()
	if have := p.cache.get(gvk, want); have != nil {
		return have, nil
	}
	have := &metav1.PartialObjectMetadata{}
	have.SetGroupVersionKind(gvk)
	if err := r.Get(ctx, client.ObjectKeyFromObject(want), have); err != nil {
		if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) || kube.IsKindMissing(err) {
			return nil, nil
		}
		return nil, fmt.Errorf("%s: %w", objectName(want), err)
	}
	p.cache.store(gvk, have)
	return p.cache.get(gvk, want), nil
}

// writeMarks writes the UID. The resource version in each patch prevents a write to an object that was changed or
// replaced.
func (p *Plan) writeMarks(ctx context.Context) (step.Change, error) {
	uid, err := p.clusterUID(ctx, p.client)
	if err != nil {
		return "", fmt.Errorf("HostedCluster %s: %w", p.key(), err)
	}
	open, err := p.unmarked(ctx, p.client)
	if err != nil {
		return "", err
	}
	change := step.Unchanged
	for _, have := range open {
		gvk := have.GroupVersionKind()
		patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
			"resourceVersion": have.ResourceVersion, "annotations": p.missingUID(have)(uid),
		}})
		if err != nil {
			return change, err
		}
		after := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: have.Namespace, Name: have.Name}}
		after.SetGroupVersionKind(gvk)
		err = p.client.Patch(ctx, after, client.RawPatch(hostedcluster.MergePatch, patch), client.FieldOwner(kube.FieldOwner))
		switch {
		case apierrors.IsConflict(err), apierrors.IsNotFound(err):
			p.cache.forget(gvk, have)
		case apierrors.IsForbidden(err):
			p.cache.mu.Lock()
			p.cache.forbidden = kube.Explain(err)
			p.cache.mu.Unlock()
			return change, nil
		case err != nil:
			return change, fmt.Errorf("%s %s: %w", gvk.Kind, kube.Name(have), err)
		default:
			p.cache.store(gvk, after)
			change = step.Join(change, step.Configured)
		}
	}
	return change, nil
}

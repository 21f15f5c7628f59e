package mce

import (
	"context"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// componentLifecycle contains cluster-image-set-controller.
const componentLifecycle = "cluster-lifecycle"

var imageSetKind = schema.GroupVersionKind{Group: "hive.openshift.io", Version: "v1", Kind: "ClusterImageSet"}

// imageSets creates the ClusterImageSets, as cluster-image-set-controller does from the vendor's repository, once in
// this run. The real controller runs each minute and restores its objects; here a user's changes stay.
func (m *engine) imageSets(ctx context.Context, components []Component) error {
	if m.imagesBrought || !enabled(components, componentLifecycle) {
		return nil
	}
	for _, s := range m.Profile.ImageSets(m.channel()) {
		o := framework.Unstructured(imageSetKind)
		o.SetName(s.Name)
		o.SetLabels(map[string]string{"channel": s.Channel, "visible": strconv.FormatBool(s.Visible)})
		framework.Set(o, s.ReleaseImage, "spec", "releaseImage")
		if err := framework.Create(ctx, m.Client, o); err != nil {
			return err
		}
	}
	m.imagesBrought = true
	return nil
}

// deleteImageSets deletes them with the engine. Assumed, as hive's own operator does: the real engine removes
// hive's CRDs and so every ClusterImageSet; here the CRDs stay, as with every operator.
func (m *engine) deleteImageSets(ctx context.Context) error {
	for _, s := range m.Profile.ImageSets(m.channel()) {
		o := framework.Unstructured(imageSetKind)
		o.SetName(s.Name)
		if err := framework.Remove(ctx, m.Client, o); err != nil {
			return err
		}
	}
	m.imagesBrought = false
	return nil
}

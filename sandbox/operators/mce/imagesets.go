package mce

import (
	"context"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// componentLifecycle carries cluster-image-set-controller.
const componentLifecycle = "cluster-lifecycle"

var imageSetKind = schema.GroupVersionKind{Group: "hive.openshift.io", Version: "v1", Kind: "ClusterImageSet"}

// imageSets brings the ClusterImageSets, as cluster-image-set-controller does from the vendor's repository, once in
// this life: the real one looks each minute, and puts back what it has brought; what a person made or changed here
// stays.
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

// dropImageSets removes them with the engine. Guess: the real engine takes hive's CRDs away, and with them every
// ClusterImageSet; here the CRDs stay, as those of every operator do.
func (m *engine) dropImageSets(ctx context.Context) error {
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

package objects_test

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects/objectstest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
)

// A host device without a count is one device; the vendor's CLI drops it.
func TestOneDevice(t *testing.T) {
	o := optionstest.Valid(t, optionstest.With(t, "--host-device-name nvidia.com/GPU"))
	devices := objects.TypedNodePool(o, o.NodePools[0], objectstest.Inputs()).Spec.Platform.Kubevirt.KubevirtHostDevices
	if len(devices) != 1 || devices[0].DeviceName != "nvidia.com/GPU" || devices[0].Count != 1 {
		t.Errorf("got %+v", devices)
	}
}

package hostedcluster

import "testing"

// A host device without a count is one device; the vendor's CLI drops it.
func TestOneDevice(t *testing.T) {
	o := with(t, "--host-device-name nvidia.com/GPU")
	devices := nodePoolOf(o, *o.Pool(), inputs()).Spec.Platform.Kubevirt.KubevirtHostDevices
	if len(devices) != 1 || devices[0].DeviceName != "nvidia.com/GPU" || devices[0].Count != 1 {
		t.Errorf("got %+v", devices)
	}
}

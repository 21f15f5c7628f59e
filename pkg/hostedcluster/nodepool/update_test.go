package nodepool

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// standing is a pool as create makes it, in a cluster.
func standing() target {
	hc := &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: "kv-00"}}
	hc.Spec.Release.Image = "registry.example/ocp-release:4.20.3-multi"
	o := options.DefaultNodePool()
	o.Name, o.NodeLabels = "kv-00", map[string]string{"room": "a"}
	valid, err := o.Validate()
	if err != nil {
		panic(err)
	}
	made, err := creation.PrepareNodePool(nil, hc, valid, hc.Spec.Release.Image)
	if err != nil {
		panic(err)
	}
	return target{Pool: made.Pool, Cluster: hc}
}

// changed decides on an update of standing, without a server.
func changed(t *testing.T, in target, overlay func(*options.NodePool), remove []string, names ...string) *Update {
	t.Helper()
	var fields []options.Field
	for _, f := range UpdateFields() {
		for _, name := range names {
			if f.Name == name {
				fields = append(fields, f)
			}
		}
	}
	if len(fields) != len(names) {
		t.Fatalf("%v are not all fields that can be updated", names)
	}
	o := optionsOf(in.Pool)
	overlay(&o)
	valid, err := o.Validate()
	if err != nil {
		t.Fatal(err)
	}
	u := &Update{target: in, Wait: WaitNodes}
	made, err := creation.PrepareNodePool(nil, in.Cluster, valid, in.Pool.Spec.Release.Image)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.compare(made.Pool, fields,
		remove); err != nil {
		t.Fatal(err)
	}
	u.note()
	return u
}

func TestUpdatesTouchOnlyWhatWasGiven(t *testing.T) {
	guaranteed := standing()
	guaranteed.Pool.Spec.Platform.Kubevirt.Compute.QosClass = ptr.To(hyperv1.QoSClassGuaranteed)
	guaranteed.Pool.Annotations = map[string]string{hyperv1.JSONPatchAnnotation: "[]"}
	inPlace := standing()
	inPlace.Pool.Spec.Management.UpgradeType = hyperv1.UpgradeTypeInPlace
	for name, tc := range map[string]struct {
		in        target
		overlay   func(*options.NodePool)
		remove    []string
		fields    []string
		want      []string
		recreates int
		note      string
	}{
		"memory": {standing(), func(o *options.NodePool) { o.Memory = "16Gi" }, nil, []string{"memory"},
			[]string{"spec.platform.kubevirt.compute.memory: 8Gi -> 16Gi"}, 1, ""},
		"the same": {standing(), func(o *options.NodePool) { o.Memory = "8Gi" }, nil, []string{"memory"}, nil, 0, ""},
		"root volume": {standing(), func(o *options.NodePool) { o.RootVolumeSize = 64 }, nil, []string{"rootVolumeSize"},
			[]string{"spec.platform.kubevirt.rootVolume.persistent.size: 32Gi -> 64Gi"}, 1, ""},
		"one more": {standing(), func(o *options.NodePool) { o.NodeLabels = map[string]string{"tier": "web"} }, nil,
			[]string{"nodeLabels"}, []string{`spec.nodeLabels: {"room":"a"} -> {"room":"a","tier":"web"}`}, 0,
			"guaranteed only for nodes that join"},
		"one for other": {
			standing(), func(o *options.NodePool) { o.NodeLabels = map[string]string{"tier": "web"} }, []string{"room"},
			[]string{"nodeLabels"},
			[]string{`spec.nodeLabels: {"room":"a"} -> {"tier":"web"}`}, 0, "guaranteed only",
		},
		"label away": {standing(), func(*options.NodePool) {}, []string{"room"}, nil,
			[]string{`spec.nodeLabels: {"room":"a"} -> not set`}, 0, "guaranteed only"},
		"no such label": {standing(), func(*options.NodePool) {}, []string{"x"}, nil, nil, 0, ""},
		"taints": {standing(), func(o *options.NodePool) { o.Taints = []string{"a=b:NoSchedule"} }, nil,
			[]string{"taints"}, []string{`spec.taints: not set -> [{"effect":"NoSchedule","key":"a","value":"b"}]`}, 0,
			"guaranteed only"},
		"a timeout": {standing(), func(o *options.NodePool) { o.NodeDrainTimeout = 60e9 }, nil,
			[]string{"nodeDrainTimeout"}, []string{"spec.nodeDrainTimeout: 0s -> 1m0s"}, 0, ""},
		"back to burstable": {guaranteed, func(o *options.NodePool) { o.QoSClass = "Burstable" }, nil, []string{"qosClass"},
			[]string{"spec.platform.kubevirt.compute.qosClass: Guaranteed -> not set"}, 1, ""},
		"pinned, rests on what it has": {
			guaranteed, func(o *options.NodePool) { o.CPUPinning = true }, nil, []string{"cpuPinning"},
			[]string{"metadata.annotations.hypershift.openshift.io/kubevirt-vm-jsonpatch: [] -> " +
				`[{"op":"add","path":"/spec/template/spec/domain/cpu/dedicatedCpuPlacement","value":true}]`}, 1,
			"replaced as a whole",
		},
		"in place": {inPlace, func(o *options.NodePool) { o.Cores = 4 }, nil, []string{"cores"},
			[]string{"spec.platform.kubevirt.compute.cores: 2 -> 4"}, 1, "upgraded in place"},
	} {
		t.Run(name, func(t *testing.T) {
			u := changed(t, tc.in, tc.overlay, tc.remove, tc.fields...)
			var got []string
			for _, c := range u.Changes {
				got = append(got, c.String())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			if n := len(u.Recreates()); n != tc.recreates {
				t.Errorf("%d changes make VMs anew, want %d", n, tc.recreates)
			}
			if notes := strings.Join(u.Notes, "\n"); tc.note == "" && notes != "" || !strings.Contains(notes, tc.note) {
				t.Errorf("notes %q, want %q", notes, tc.note)
			}
		})
	}
}

// Every field that an update can change has a path at which the object of its example differs from the default.
func TestEveryUpdateFieldHasItsPath(t *testing.T) {
	for _, f := range UpdateFields() {
		path := f.Path("NodePool")
		if len(path) < 2 || path[0] != "spec" && path[0] != "metadata" {
			t.Errorf("%s is written to %q, of which no path can be made", f.Name, f.Writes)
		}
		inPlatform := strings.Contains(f.Writes, "spec.platform.kubevirt") || strings.Contains(f.Writes, "jsonpatch")
		if (f.Effect == option.ReplacesVMs) != inPlatform {
			t.Errorf("%s: its effect is %v", f.Name, f.Effect)
		}
	}
}

func TestSkewOfNewPools(t *testing.T) {
	for image, wrong := range map[string]bool{
		"registry.example/x:4.20.3-multi": false, "registry.example/x:4.17.1-multi": false,
		"registry.example/x@sha256:1":     false,
		"registry.example/x:4.20.4-multi": true, "registry.example/x:4.16.9-multi": true,
	} {
		if err := checkSkew(image, "4.20.3"); (err != nil) != wrong {
			t.Errorf("%s: %v", image, err)
		}
	}
	if err := checkSkew("registry.example/x:4.16.9-multi", ""); err != nil {
		t.Errorf("before the control plane has a version: %v", err)
	}
}

func TestReleaseOfNewPools(t *testing.T) {
	hc := &hyperv1.HostedCluster{}
	hc.Spec.Release.Image = "new"
	if version, image := controlPlaneRelease(hc); version != "" || image != "new" {
		t.Errorf("%q, %q", version, image)
	}
	hc.Status.Version = ptr.To(hyperv1.ClusterVersionStatus{})
	if err := json.Unmarshal(
		[]byte(
			`[{"state":"Partial","version":"4.20.4","image":"new"},{"state":"Completed","version":"4.20.3","image":"old"}]`),
		&hc.Status.Version.History); err != nil {
		t.Fatal(err)
	}
	if version, image := controlPlaneRelease(hc); version != "4.20.3" || image != "old" {
		t.Errorf("while it is upgraded: %q, %q", version, image)
	}
}

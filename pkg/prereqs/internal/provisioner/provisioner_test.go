package provisioner_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/provisioner"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

const driver = "\n---\n{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: csi.example.com}}\n"

// node runs these drivers.
func node(name string, drivers ...string) string {
	var list []string
	for _, d := range drivers {
		list = append(list, fmt.Sprintf("{name: %s, nodeID: %s}", d, name))
	}
	return fmt.Sprintf("\n---\n{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: %s}, spec: {drivers: [%s]}}\n",
		name, strings.Join(list, ", "))
}

func class(provisioner string, parameters map[string]string) *storagev1.StorageClass {
	return &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "fast"}, Provisioner: provisioner,
		Parameters: parameters}
}

func TestDead(t *testing.T) {
	csi := map[string]string{"csi.storage.k8s.io/fstype": "ext4"}
	for name, tc := range map[string]struct {
		class   *storagev1.StorageClass
		objects string
		// want is StateOK where nothing is known against it.
		want step.State
		says string
	}{
		"runs":                {class("csi.example.com", csi), node("n0") + node("n1", "csi.example.com"), step.StateOK, ""},
		"runs without object": {class("csi.example.com", nil), node("n0", "csi.example.com"), step.StateOK, ""},
		"runs nowhere":        {class("csi.example.com", nil), driver + node("n0") + node("n1", "other"), step.StatePending, "on none of 2 nodes"},
		"was removed":         {class("csi.example.com", csi), node("n0"), step.StateBroken, "there is no CSIDriver csi.example.com"},
		"Ceph that was removed": {class("openshift-storage.rbd.csi.ceph.com", nil), node("n0"), step.StateBroken,
			"there is no CSIDriver"},
		"LVM Storage that was removed": {class("topolvm.io", nil), node("n0"), step.StateBroken, "there is no CSIDriver"},
		// Nobody can tell these from provisioners that run.
		"NFS by another provisioner": {class("k8s-sigs.io/nfs-subdir-external-provisioner", nil), node("n0"), step.StateOK, ""},
		"in-tree":                    {class("kubernetes.io/vsphere-volume", nil), node("n0"), step.StateOK, ""},
		"of any name":                {class("nfs-provisioner", nil), node("n0"), step.StateOK, ""},
		"no CSINode":                 {class("csi.example.com", csi), driver, step.StateOK, ""},
	} {
		t.Run(name, func(t *testing.T) {
			api := prereqtest.Serve(t, tc.objects)
			f, err := provisioner.Dead(t.Context(), api.Client, tc.class)
			switch {
			case err != nil:
				t.Fatal(err)
			case f == nil:
				if tc.want != step.StateOK {
					t.Error("nothing is known against it")
				}
			default:
				steptest.Expect(t, *f, tc.want, "StorageClass fast", tc.says, "choose another class")
			}
		})
	}
	for _, refused := range []string{"csinodes.storage.k8s.io", "csidrivers.storage.k8s.io"} {
		api := prereqtest.Serve(t, node("n0"))
		api.Refuse(refused, 403)
		if f, err := provisioner.Dead(t.Context(), api.Client, class("csi.example.com", csi)); err == nil || f != nil {
			t.Errorf("%s refused: %+v, %v", refused, f, err)
		}
	}
	api := prereqtest.Serve(t, node("n0", "csi.example.com"))
	api.Refuse("csidrivers.storage.k8s.io", 403) // it is not asked for
	if f, err := provisioner.Dead(t.Context(), api.Client, class("csi.example.com", csi)); err != nil || f != nil {
		t.Errorf("the driver runs: %+v, %v", f, err)
	}
}

func judge(t *testing.T, c *kube.Client, class *storagev1.StorageClass) (step.Finding, error) {
	t.Helper()
	claims, err := provisioner.ClaimsOf(t.Context(), c, []storagev1.StorageClass{*class})
	if err != nil {
		return step.Finding{}, err
	}
	return provisioner.Judge(t.Context(), c, class, claims)
}

func TestJudge(t *testing.T) {
	now := time.Now().UTC()
	claim := func(name, of, spec, phase, annotations string, age time.Duration) string {
		return fmt.Sprintf(`
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: %s, namespace: ns, uid: u, creationTimestamp: %q,
  annotations: {%s}}, spec: {storageClassName: %s%s}, status: {phase: %s}}
`, name, now.Add(-age).Format(time.RFC3339), annotations, of, spec, phase)
	}
	pending := func(spec, annotations string, age time.Duration) string {
		return claim("waits", "fast", spec, "Pending", annotations, age)
	}
	runs := node("n0", "csi.example.com") + node("n1")
	first := class("csi.example.com", nil)
	first.VolumeBindingMode = new(storagev1.VolumeBindingMode)
	*first.VolumeBindingMode = storagev1.VolumeBindingWaitForFirstConsumer
	const old = 20 * time.Minute
	for name, tc := range map[string]struct {
		class   *storagev1.StorageClass
		objects string
		want    step.State
		says    []string
	}{
		"runs": {class("csi.example.com", nil), runs, step.StateOK, []string{"runs on 1 of 2 nodes"}},
		"a claim waits": {class("csi.example.com", nil), runs + pending("", "", old), step.StateMissing,
			[]string{"claim ns/waits", "oc describe pvc waits -n ns"}},
		"a claim has just begun to wait":  {class("csi.example.com", nil), runs + pending("", "", time.Minute), step.StateOK, nil},
		"a claim of another class waits":  {class("csi.example.com", nil), runs + claim("a", "slow", "", "Pending", "", old), step.StateOK, nil},
		"a claim waits for a copy":        {class("csi.example.com", nil), runs + pending(", dataSourceRef: {kind: V, name: v}", "", old), step.StateOK, nil},
		"a claim waits for a named one":   {class("csi.example.com", nil), runs + pending(", volumeName: v", "", old), step.StateOK, nil},
		"a claim waits for one by labels": {class("csi.example.com", nil), runs + pending(", selector: {}", "", old), step.StateOK, nil},
		"a claim waits for a pod":         {first, runs + pending("", "", old), step.StateOK, nil},
		"a claim whose pod is there":      {first, runs + pending("", "volume.kubernetes.io/selected-node: n0", old), step.StateMissing, nil},
		"another provisioner": {class("example.com/nfs", nil), runs, step.StateUnknown,
			[]string{"is not known: no node has a CSI driver example.com/nfs"}},
		"another that has made volumes": {class("example.com/nfs", nil), runs + claim("b", "fast", "", "Bound", "", old),
			step.StateOK, []string{"claim ns/b, made at "}},
		"another that has made one volume long ago": {class("example.com/nfs", nil),
			runs + claim("b", "fast", "", "Bound", "", 25*time.Hour), step.StateUnknown,
			[]string{"whether its provisioner example.com/nfs still runs is not known", "ns/b, was made at"}},
		"another that has made volumes long ago": {class("example.com/nfs", nil),
			runs + claim("b", "fast", "", "Bound", "", 25*time.Hour) + claim("c", "fast", "", "Bound", "", 26*time.Hour),
			step.StateUnknown, []string{"ns/b, was made at " + now.Add(-25*time.Hour).Format(time.RFC3339)}},
		"another that has made volumes, the first long ago": {class("example.com/nfs", nil),
			runs + claim("b", "fast", "", "Bound", "", 25*time.Hour) + claim("c", "fast", "", "Bound", "", old),
			step.StateOK, []string{"claim ns/c, made at "}},
		"another for which a claim waits": {class("example.com/nfs", nil), runs + pending("", "", old), step.StateMissing, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := judge(t, prereqtest.Serve(t, tc.objects).Client, tc.class)
			if err != nil {
				t.Fatal(err)
			}
			steptest.Expect(t, f, tc.want, append(tc.says, "StorageClass fast")...)
		})
	}
	for refused, fails := range map[string]bool{"csinodes.storage.k8s.io": true, "persistentvolumeclaims": true} {
		api := prereqtest.Serve(t, runs, pending("", "", old))
		api.Refuse(refused, 403)
		_, err := judge(t, api.Client, class("csi.example.com", nil))
		if (err != nil) != fails {
			t.Errorf("%s refused: %v", refused, err)
		}
	}
}

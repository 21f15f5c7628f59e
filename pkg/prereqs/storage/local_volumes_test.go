package storage

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/step"
)

// TestLocalVolumeSetAsTheOperatorWritesIt judges statuses with the words of the Local Storage operator, release-4.12 to
// release-4.21: types from pkg/controllers/localvolumeset/conditions.go, messages from status.go beside it. It never
// sets a reason.
func TestLocalVolumeSetAsTheOperatorWritesIt(t *testing.T) {
	const available = `{type: Available, status: "True", message: Operator reconciled successfully.}`
	for name, tc := range map[string]struct {
		conditions, says string
		done             bool
	}{
		"done": {
			conditions: available + `, {type: DaemonSetsAvailable, status: "True", message: "DiskMaker: Available"}`, done: true,
		},
		"no disk makers yet": {
			conditions: available + `, {type: DaemonSetsAvailable, status: "False", message: "DiskMaker: Not found."}`,
			says:       "DiskMaker: Not found.",
		},
		"a disk maker does not run": {
			conditions: available + `, {type: DaemonSetsAvailable, status: "False", message: "DiskMaker: 1/3 Unavailable."}`,
			says:       "1/3 Unavailable",
		},
		"an error": {
			conditions: `{type: Available, status: "False", message: "Operator error: no StorageClass"}, {type: ` +
				`DaemonSetsAvailable, status: "True"}`,
			says: "Operator error: no StorageClass",
		},
		"the constant's name is no condition": {
			conditions: available + `, {type: DaemonSetsAvailableAndConfigured, status: "True"}`, says: "DaemonSetsAvailable",
		},
	} {
		t.Run(name, func(t *testing.T) {
			set := &unstructured.Unstructured{}
			err := yaml.Unmarshal([]byte(`
apiVersion: local.storage.openshift.io/v1alpha1
kind: LocalVolumeSet
metadata: {name: localblock, namespace: openshift-local-storage, generation: 1}
spec: {storageClassName: localblock, volumeMode: Block}
status: {observedGeneration: 1, totalProvisionedDeviceCount: 3, conditions: [`+tc.conditions+`]}`), set)
			if err != nil {
				t.Fatal(err)
			}
			f := diskSource{object: set}.judge()
			if tc.done {
				if f != nil {
					t.Fatalf("a LocalVolumeSet that is done is %s: %s", f.State, f.Message)
				}
				return
			}
			if f == nil {
				t.Fatal("a LocalVolumeSet that is not done is taken for done")
			}
			prereqtest.Expect(t, *f, step.StatePending, tc.says)
		})
	}
}

// TestALocalVolumeIsJudged: its one condition is False with an error alone, and one that is not its operator's to
// manage is never looked at.
func TestALocalVolumeIsJudged(t *testing.T) {
	for name, tc := range map[string]struct {
		state, status, says, hint string
		want                      step.State
		trouble                   bool
	}{
		"an error": {"Managed", `observedGeneration: 2, conditions: [{type: Available, status: "False", message: "no such path"}]`,
			"Available False: no such path", "oc describe localvolume disks -n ns", step.StatePending, true},
		"not looked at": {"Managed", "", "Available not reported yet", "", step.StatePending, false},
		"not its own": {"Unmanaged", `observedGeneration: 1, conditions: [{type: Available, status: "True"}]`,
			"its spec.managementState is Unmanaged, so its operator does nothing about it: its operator has not processed its latest " +
				"change yet", "oc patch localvolume disks -n ns --type=merge", step.StateBroken, false},
	} {
		t.Run(name, func(t *testing.T) {
			volume := &unstructured.Unstructured{}
			raw, err := yaml.YAMLToJSON([]byte(`{apiVersion: local.storage.openshift.io/v1, kind: LocalVolume, metadata: {name: disks,
  namespace: ns, generation: 2}, spec: {managementState: ` + tc.state + `}, status: {` + tc.status + `}}`))
			if err != nil || volume.UnmarshalJSON(raw) != nil {
				t.Fatal(err)
			}
			f := diskSource{object: volume}.judge()
			if f == nil {
				t.Fatal("it is taken for done")
			}
			prereqtest.Expect(t, *f, tc.want, tc.says)
			if f.Trouble != tc.trouble || !strings.HasPrefix(f.Hint.String(), tc.hint) || tc.hint == "" && !f.Hint.IsZero() {
				t.Errorf("trouble %t, hint %q", f.Trouble, f.Hint)
			}
		})
	}
}

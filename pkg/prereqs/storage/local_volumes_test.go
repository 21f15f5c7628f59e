package storage

import (
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
status: {observedGeneration: 1, totalProvisionedDeviceCount: 3, conditions: [`+tc.conditions+`]}`), &set.Object)
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

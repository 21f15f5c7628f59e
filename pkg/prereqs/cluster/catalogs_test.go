package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

const digests = `apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata: {name: idms-release-0}
spec: {imageDigestMirrors: [{source: quay.io/openshift-release-dev/ocp-release, mirrors: [mirror.example.com/release]}]}
`

const index = `apiVersion: operators.coreos.com/v1alpha1
kind: CatalogSource
metadata: {name: cs-index, namespace: openshift-marketplace}
spec: {sourceType: grpc, image: mirror.example.com/index:v4.20}
`

// ofOcMirror is a directory as oc-mirror writes it.
func ofOcMirror(t *testing.T) MirrorOptions {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"idms-oc-mirror.yaml": digests, "cs-index.yaml": index,
		"cc-index.yaml": "apiVersion: olm.operatorframework.io/v1\nkind: ClusterCatalog\nmetadata: {name: cc-index}\n",
		"updateService.yaml": "apiVersion: updateservice.operator.openshift.io/v1\nkind: UpdateService\n" +
			"metadata: {name: us}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return MirrorOptions{Resources: dir}
}

const serves = "\nstatus: {connectionState: {lastObservedState: READY}}\n"

func TestCatalogs(t *testing.T) {
	folder := Prerequisites(Options{Mirrors: ofOcMirror(t)})
	images := Prerequisites(Options{Mirrors: MirrorOptions{Catalogs: map[string]string{
		"cs-index": "other.example.com/index:v1"}}})
	const ours = "{name: cs-index, labels: {app.kubernetes.io/managed-by: hcctl}, "
	prereqtest.Run(t, folder, map[string]prereqtest.Case{
		"none is wanted": {Of: Prerequisites(Options{}), ID: prereq.Catalogs, State: step.StateOK,
			Says: []string{"none was asked"}},
		"absent": {Kinds: []kube.Kind{kube.CatalogSource}, ID: prereq.Catalogs, State: step.StateMissing,
			Says: []string{"does not exist; it is to serve mirror.example.com/index:v4.20"}},
		"no lifecycle manager": {Refused: map[string]int{"catalogsources.operators.coreos.com": 404},
			ID: prereq.Catalogs, State: step.StateBroken, Says: []string{"not installed"}},
		"serves": {Objects: []string{index + serves}, ID: prereq.Catalogs, State: step.StateOK,
			Says: []string{"1 catalog: cs-index"}},
		"does not serve yet": {Objects: []string{index}, ID: prereq.Catalogs, State: step.StatePending},
		"cannot serve": {Objects: []string{index + strings.ReplaceAll(serves, "READY", "TRANSIENT_FAILURE")},
			ID: prereq.Catalogs, State: step.StatePending, Says: []string{"TRANSIENT_FAILURE"}, Trouble: true},
		"somebody else's": {Of: images, Objects: []string{index + serves}, ID: prereq.Catalogs, State: step.StateBroken,
			Says: []string{"somebody else has made it, of image mirror.example.com/index:v4.20"}},
		"another image of ours": {Of: images, Objects: []string{strings.ReplaceAll(index, "{name: cs-index, ", ours) +
			serves}, ID: prereq.Catalogs, State: step.StateMissing, Says: []string{"other.example.com/index:v1 was asked for"}},
		"made": {Kinds: []kube.Kind{kube.CatalogSource}, ID: prereq.Catalogs, Change: step.Created,
			Writes: []string{"patch catalogsources.operators.coreos.com openshift-marketplace/cs-index"},
			Sends:  []string{"mirror.example.com/index:v4.20"}},
	})
}

func TestMirrorsOfADirectory(t *testing.T) {
	const old = "\n---\n" + digests
	pool := func(updated string) string {
		return "\n---\n{apiVersion: machineconfiguration.openshift.io/v1, kind: MachineConfigPool, " +
			"metadata: {name: worker}, status: {machineCount: 3, updatedMachineCount: 1, " +
			"conditions: [{type: Updated, status: \"" + updated + "\"}]}}\n"
	}
	prereqtest.Run(t, Prerequisites(Options{Mirrors: ofOcMirror(t)}), map[string]prereqtest.Case{
		"absent": {Kinds: []kube.Kind{kube.ImageDigestMirrorSet}, ID: Mirrors, State: step.StateMissing,
			Says: []string{"does not exist", "for you to apply: ClusterCatalog cc-index, UpdateService us"}},
		"OpenShift 4.12": {Refused: map[string]int{"imagedigestmirrorsets.config.openshift.io": 404},
			ID: Mirrors, State: step.StateBroken, Says: []string{"comes with 4.13"}},
		"other mirrors": {Objects: []string{strings.ReplaceAll(old, "mirror.example.com", "old.example.com")}, ID: Mirrors,
			State: step.StateMissing, Says: []string{"it has other mirrors than "}},
		"nodes restart": {Objects: []string{old, pool("False")}, ID: Mirrors, State: step.StatePending,
			Says: []string{"its nodes are being updated: 1 of 3 are"}},
		"rolled out": {Objects: []string{old, pool("True")}, ID: Mirrors, State: step.StateOK},
		"written": {Kinds: []kube.Kind{kube.ImageDigestMirrorSet}, ID: Mirrors, Change: step.Created,
			Writes: []string{"patch imagedigestmirrorsets.config.openshift.io idms-release-0"}},
	})
}

func TestMirrorOptions(t *testing.T) {
	for name, o := range map[string]MirrorOptions{
		"name":  {Catalogs: map[string]string{"Not_A_Name": "example.com/index:v1"}},
		"image": {Catalogs: map[string]string{"index": "no image"}},
	} {
		if o.Validate() == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if err := (MirrorOptions{Catalogs: map[string]string{"index": "example.com/index:v1"}}).Validate(); err != nil {
		t.Error(err)
	}
}

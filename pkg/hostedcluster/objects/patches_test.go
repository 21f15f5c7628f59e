package objects_test

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects/objectstest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
)

// patchedWith is the HostedCluster with a patch, as a server has it.
func patchedWith(t *testing.T, patch string) *unstructured.Unstructured {
	t.Helper()
	o := optionstest.Valid(t, optionstest.Named(func(o *options.Cluster) {
		if patch != "" {
			o.Patches.Content = []byte(patch)
		}
	}))
	if err := objects.CheckPatches(o, objectstest.Inputs()); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(objects.HostedCluster(o, objectstest.Inputs()))
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	return u
}

// TestPatchOf: a patch that holds is not written again, whatever the server's defaults add; what changed is written,
// and what is in the patch no more is taken back, unless somebody has changed it since.
func TestPatchOf(t *testing.T) {
	const (
		image  = `{spec: {configuration: {image: {registrySources: {insecureRegistries: [a]}}}}}`
		scaler = `[{op: add, path: /spec/configuration/scheduler, value: {defaultNodeSelector: a=b, profile: NoScoring}}]`
		fewer  = `[{op: add, path: /spec/configuration/scheduler, value: {defaultNodeSelector: a=c}}]`
		prefix = `[{op: add, path: /spec/networking/clusterNetwork/0/hostPrefix, value: 22}]`
	)
	for name, tc := range map[string]struct {
		before, after string
		changed       func(*unstructured.Unstructured)
		want          string
	}{
		"the same":       {image, image, nil, `{}`},
		"one more field": {"", image, nil, `{"spec":{"configuration":{"image":{"registrySources":{"insecureRegistries":["a"]}}}}}`},
		"with the server's defaults": {scaler, scaler, func(u *unstructured.Unstructured) {
			_ = unstructured.SetNestedField(u.Object, "", "spec", "configuration", "scheduler", "policy")
		}, `{}`},
		"another value":  {scaler, fewer, nil, `{"spec":{"configuration":{"scheduler":{"defaultNodeSelector":"a=c","profile":null}}}}`},
		"taken back":     {image, "", nil, `{"spec":{"configuration":{"image":null}}}`},
		"of a list's":    {prefix, prefix, nil, `{}`},
		"back in a list": {prefix, "", nil, `{"spec":{"networking":{"clusterNetwork":[{"cidr":"10.132.0.0/14"}]}}}`},
		"another's field": {scaler, "", func(u *unstructured.Unstructured) {
			_ = unstructured.SetNestedField(u.Object, true, "spec", "configuration", "scheduler", "mastersSchedulable")
		}, `{"spec":{"configuration":{"scheduler":{"defaultNodeSelector":null,"profile":null}}}}`},
		"changed since": {fewer, "", func(u *unstructured.Unstructured) {
			_ = unstructured.SetNestedField(u.Object, "x=y", "spec", "configuration", "scheduler", "defaultNodeSelector")
		}, `{}`},
		"changed by others": {fewer, fewer, func(u *unstructured.Unstructured) {
			_ = unstructured.SetNestedField(u.Object, "x=y", "spec", "configuration", "scheduler", "defaultNodeSelector")
		}, `{"spec":{"configuration":{"scheduler":{"defaultNodeSelector":"a=c"}}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			have := patchedWith(t, tc.before)
			if tc.changed != nil {
				tc.changed(have)
			}
			change := objects.PatchOf(have, patchedWith(t, tc.after), patchedWith(t, ""))
			_, renewed, _ := unstructured.NestedFieldNoCopy(change.Fields, "metadata", "annotations",
				hostedcluster.PatchesAnnotation)
			if renewed != (tc.before != tc.after) {
				t.Errorf("the record is renewed: %v", renewed)
			}
			delete(change.Fields, "metadata")
			if got, err := json.Marshal(change.Fields); err != nil || string(got) != tc.want {
				t.Errorf("got %s, %v, want %s", got, err, tc.want)
			}
		})
	}
}

// TestPatchesThatReplaceWhatHcctlWrites are refused by what they change, whatever their text shows.
func TestPatchesThatReplaceWhatHcctlWrites(t *testing.T) {
	for patch, want := range map[string]string{
		`[{op: replace, path: /spec/dns, value: {privateZoneID: a}}]`:          "",
		`[{op: replace, path: /spec/networking, value: {networkType: Other}}]`: "--network-type",
		`[{op: copy, from: /spec/dns, path: /spec/networking}]`:                "--allowed-cidr-blocks",
		`[{op: move, from: /spec/services, path: /spec/autoscaling}]`:          "--external-dns-domain",
		`[{op: add, path: /spec/a/b, value: 1}]`:                               "does not fit",
		`[{op: test, path: /spec/fips, value: true}]`:                          "does not fit",
		`{kind: NodePool}`:                  "only fields of spec",
		`{metadata: {finalizers: [a]}}`:     "only fields of spec",
		`{metadata: {annotations: {a: b}}}`: "--annotations",
		`{spec: {sshKey: {name: mine}, secretEncryption: {aescbc: {backupKey: {name: b}}}}}`: "",
		`{spec: null}`: "more than one field",
		`[]`:           "empty",
		`text`:         "neither a merge patch",
	} {
		o := optionstest.Named(func(o *options.Cluster) { o.Patches.Content = []byte(patch) })
		v, err := o.Validate()
		if err == nil {
			err = objects.CheckPatches(v, objectstest.Inputs())
		}
		if want == "" && err != nil || want != "" && (err == nil || !contains(err, want)) {
			t.Errorf("%s: got %v, want %q", patch, err, want)
		}
	}
}

func contains(err error, text string) bool { return strings.Contains(err.Error(), text) }

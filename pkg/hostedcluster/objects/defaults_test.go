package objects

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestWithoutDefaults(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"a cluster": {
			in:   `{kind: HostedCluster, spec: {capabilities: {}, fips: false}}`,
			want: `{kind: HostedCluster, spec: {fips: false}}`,
		},
		"capabilities asked for": {
			in:   `{kind: HostedCluster, spec: {capabilities: {disabled: [ImageRegistry]}}}`,
			want: `{kind: HostedCluster, spec: {capabilities: {disabled: [ImageRegistry]}}}`,
		},
		"a pool": {
			in: `{kind: NodePool, spec: {arch: amd64, nodeVolumeDetachTimeout: 0s, platform: {kubevirt: {attachDefaultNetwork: true,
              networkInterfaceMultiqueue: Enable, rootVolume: {}}}}}`,
			want: `{kind: NodePool, spec: {platform: {kubevirt: {rootVolume: {}}}}}`,
		},
		"a pool's options": {
			in: `{kind: NodePool, spec: {arch: arm64, nodeVolumeDetachTimeout: 10m0s, platform: {kubevirt: {
              attachDefaultNetwork: false, networkInterfaceMultiqueue: Disable}}}}`,
			want: `{kind: NodePool, spec: {arch: arm64, nodeVolumeDetachTimeout: 10m0s, platform: {kubevirt: {
              attachDefaultNetwork: false, networkInterfaceMultiqueue: Disable}}}}`,
		},
		"another kind": {in: `{kind: Other, spec: {capabilities: {}}}`, want: `{kind: Other, spec: {capabilities: {}}}`},
	} {
		u := parsed(t, tc.in)
		before := u.DeepCopy()
		if got, want := text(t, WithoutDefaults(u)), text(t, parsed(t, tc.want)); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
		if text(t, u) != text(t, before) {
			t.Errorf("%s: the object itself has changed", name)
		}
	}
}

func parsed(t *testing.T, in string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(in), &u.Object); err != nil {
		t.Fatal(err)
	}
	return u
}

func text(t *testing.T, u *unstructured.Unstructured) string {
	t.Helper()
	out, err := yaml.Marshal(u.Object)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

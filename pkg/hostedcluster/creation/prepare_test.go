package creation

import (
	"errors"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects/objectstest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
)

func TestPrepare(t *testing.T) {
	existing := hostedtest.Object{
		"metadata": hostedtest.MetaOf("clusters", "kv-00", nil),
		"spec":     hostedtest.Object{"infraID": "kv-00-older", "release": hostedtest.Object{"image": "registry.example/older"}},
	}
	ofEarlier := hostedtest.Object{
		"metadata": hostedtest.UnfinishedMeta("kv-00-etcd-encryption-key", "kv-00-begun"),
		"data":     hostedtest.Object{"key": hostedtest.Encoded("0123456789abcdef0123456789abcdef")},
	}
	for name, tc := range map[string]struct {
		ask     func(*options.Cluster)
		changes map[string]any
		release string
		from    string
		infraID string
		err     string
	}{
		"its own release": {nil, nil, "registry.example/own", "the management cluster's own " +
			"release 4.20.3", "", ""},
		"given": {func(o *options.Cluster) { o.ReleaseImage = "registry.example/given" }, nil,
			"registry.example/given", "--release-image", "", ""},
		"newest supported image set": {nil,
			map[string]any{hostedtest.ImageSetsPath: hostedtest.Items(hostedtest.ImageSetObject("a", "q.io/r:4.19.9-multi"),
				hostedtest.ImageSetObject("b", "q.io/r:4.20.1-multi"), hostedtest.ImageSetObject("c", "q.io/r:4.21.1-multi"))},
			"q.io/r:4.20.1-multi", "ClusterImageSet b", "", ""},
		"image sets of other minors": {nil,
			map[string]any{hostedtest.ImageSetsPath: hostedtest.Items(hostedtest.ImageSetObject("c", "q.io/r:4.21.1-multi"))},
			"registry.example/own", "the management cluster's own release 4.20.3", "", ""},
		"own release not supported": {nil, map[string]any{hostedtest.VersionsPath +
			"/version": hostedtest.ClusterVersion("4.12.45")}, "", "", "",
			"no release image was given, there is no ClusterImageSet the HyperShift operator supports, and the management " +
				"cluster's own version 4.12.45 is not supported either; the operator supports 4.20, 4.19"},
		"operator does not say": {nil, map[string]any{hostedtest.SupportedPath +
			"/supported-versions": hostedtest.Object{"data": hostedtest.Object{"supported-versions": `{}`}}}, "", "", "",
			"no release image was given, and the HyperShift operator does not say which versions it supports (ConfigMap " +
				"hypershift/supported-versions)"},
		"resumes an existing cluster": {nil, map[string]any{hostedtest.ClustersPath + "/kv-00": existing},
			"registry.example/older", "the existing HostedCluster", "kv-00-older", ""},
		"resumes from the Secrets": {nil, map[string]any{hostedtest.SecretsPath + "/kv-00-etcd-encryption-key": ofEarlier},
			"registry.example/own", "the management cluster's own release 4.20.3", "kv-00-begun", ""},
		"being deleted": {
			nil,
			map[string]any{hostedtest.ClustersPath + "/kv-00": hostedtest.Object{"metadata": hostedtest.Object{"namespace": "clusters",
				"name": "kv-00", "deletionTimestamp": "2026-01-02T03:04:05Z"}}}, "", "", "",
			"HostedCluster clusters/kv-00 is being deleted since 2026-01-02T03:04:05Z: wait until it is gone (hcctl delete " +
				"cluster kv-00 says what it waits for), then create it",
		},
		"no pull secret": {
			nil,
			map[string]any{hostedtest.ConfigPath + "/pull-secret": hostedtest.Object{"metadata": hostedtest.MetaOf("openshift-config",
				"pull-secret", nil)}}, "", "", "",
			"--pull-secret: needed here: the management cluster has none of its own to take (Secret " +
				"openshift-config/pull-secret, key .dockerconfigjson)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Prepare(t.Context(), hostedtest.ReadOnly(t, hostedtest.Management(tc.changes)), nil,
				optionstest.Valid(t, optionstest.Named(tc.ask)))
			err = optionstest.Flagged(err)
			if tc.err != "" {
				if err == nil || err.Error() != tc.err {
					t.Errorf("got %v\nwant %s", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(
				[]string{tc.release, tc.from},
				[]string{p.Inputs.ReleaseImage, p.Inputs.ReleaseFrom},
			); diff != "" {
				t.Error(diff)
			}
			if tc.infraID != "" && p.Inputs.InfraID != tc.infraID {
				t.Errorf("infraID %s, want %s", p.Inputs.InfraID, tc.infraID)
			}
			if string(p.Inputs.PullSecret) != optionstest.GoodPullSecret {
				t.Errorf("pull secret %q", p.Inputs.PullSecret)
			}
		})
	}
}

func TestPrepareWithoutHyperShift(t *testing.T) {
	_, err := Prepare(t.Context(), hostedtest.ReadOnly(t, nil), nil, optionstest.Valid(t, optionstest.Named(nil)))
	var missing *hostedcluster.NotInstalledError
	if !errors.As(err, &missing) || missing.Failure() != failure.Missing {
		t.Errorf("got %v", err)
	}
}

func TestNameFree(t *testing.T) {
	free := map[string]any{
		hostedtest.ClustersPath:   hostedtest.Items(),
		hostedtest.ManagedPath:    hostedtest.Items(),
		hostedtest.NamespacesPath: hostedtest.Items(),
	}
	deleting := hostedtest.Object{
		"metadata": hostedtest.Object{"name": "clusters-kv-00", "deletionTimestamp": "2026-01-02T03:04:05Z"},
	}
	for name, tc := range map[string]struct {
		changes map[string]any
		want    string
	}{
		"free": {nil, "ok: nothing of that name is in the way"},
		"created by somebody meanwhile": {map[string]any{
			hostedtest.ClustersPath + "/kv-00":            hostedtest.Object{"metadata": hostedtest.MetaOf("clusters", "kv-00", nil)},
			hostedtest.NamespacesPath + "/clusters-kv-00": hostedtest.Object{"metadata": hostedtest.Object{"name": "clusters-kv-00"}},
		}, "ok: HostedCluster clusters/kv-00: the HostedCluster exists"},
		"a namespace still going": {map[string]any{hostedtest.NamespacesPath + "/clusters-kv-00": deleting},
			"pending: Namespace clusters-kv-00: left from an earlier cluster of that name and still being deleted"},
		"someone else's namespace": {map[string]any{hostedtest.NamespacesPath +
			"/kv-00": hostedtest.Object{"metadata": hostedtest.Object{"name": "kv-00"}}},
			"broken: Namespace kv-00: exists already; the namespace of the ManagedCluster it is imported as would have that name"},
		"someone's else's ManagedCluster": {map[string]any{hostedtest.ManagedPath +
			"/kv-00": hostedtest.Object{"metadata": hostedtest.Object{"name": "kv-00"}}},
			"broken: ManagedCluster kv-00: exists already; the ManagedCluster it is imported as would have that name"},
	} {
		t.Run(name, func(t *testing.T) {
			world := maps.Clone(free)
			maps.Copy(world, tc.changes)
			p := &Plan{Options: optionstest.Valid(t, optionstest.Named(nil)), client: hostedtest.ReadOnly(t, world)}
			hostedtest.Expect(t, p.checkNameFree(t.Context(), p.client), tc.want)
		})
	}
}

func TestSecretThere(t *testing.T) {
	o := optionstest.Valid(t, optionstest.Named(nil))
	for name, tc := range map[string]struct {
		secret any
		want   string
	}{
		"absent": {nil, "missing: Secret clusters/kv-00-etcd-encryption-key: does not exist"},
		"another key": {hostedtest.Object{"data": hostedtest.Object{"key": hostedtest.Encoded("fedcba9876543210fedcba9876543210")}},
			"ok: Secret clusters/kv-00-etcd-encryption-key: exists"},
		"wrong length": {hostedtest.Object{"data": hostedtest.Object{"key": hostedtest.Encoded("short")}},
			`broken: Secret clusters/kv-00-etcd-encryption-key: exists, but its key "key" has 5 bytes instead of 32`},
		"no key": {hostedtest.Object{"data": hostedtest.Object{"other": hostedtest.Encoded("x")}},
			`broken: Secret clusters/kv-00-etcd-encryption-key: exists, but has no key "key"`},
	} {
		t.Run(name, func(t *testing.T) {
			world := map[string]any{hostedtest.SecretsPath: hostedtest.Items()}
			if tc.secret != nil {
				world[hostedtest.SecretsPath+"/kv-00-etcd-encryption-key"] = tc.secret
			}
			p := &Plan{Options: o, client: hostedtest.ReadOnly(t, world), exists: true}
			key := objectstest.EncryptionKey(o, objectstest.Inputs())
			hostedtest.Expect(t, p.checkSecret(t.Context(), p.client, key), tc.want)
		})
	}
}

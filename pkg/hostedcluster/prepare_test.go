package hostedcluster

import (
	"errors"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPrepare(t *testing.T) {
	existing := object{"metadata": metaOf("clusters", "kv-00", nil), "spec": object{"infraID": "kv-00-older", "release": object{"image": "registry.example/older"}}}
	ofEarlier := object{
		"metadata": begunMeta("kv-00-etcd-encryption-key", "kv-00-begun"),
		"data":     object{"key": encoded("0123456789abcdef0123456789abcdef")},
	}
	for name, tc := range map[string]struct {
		ask     func(*Options)
		changes map[string]any
		release string
		from    string
		infraID string
		err     string
	}{
		"its own release":             {nil, nil, "registry.example/own", "the management cluster's own release 4.20.3", "", ""},
		"given":                       {func(o *Options) { o.ReleaseImage = "registry.example/given" }, nil, "registry.example/given", "--release-image", "", ""},
		"newest supported image set":  {nil, map[string]any{imageSetsPath: items(imageSetObject("a", "q.io/r:4.19.9-multi"), imageSetObject("b", "q.io/r:4.20.1-multi"), imageSetObject("c", "q.io/r:4.21.1-multi"))}, "q.io/r:4.20.1-multi", "ClusterImageSet b", "", ""},
		"image sets of other minors":  {nil, map[string]any{imageSetsPath: items(imageSetObject("c", "q.io/r:4.21.1-multi"))}, "registry.example/own", "the management cluster's own release 4.20.3", "", ""},
		"own release not supported":   {nil, map[string]any{versionsPath + "/version": clusterVersion("4.12.45")}, "", "", "", "no release image was given, there is no ClusterImageSet the HyperShift operator supports, and the management cluster's own version 4.12.45 is not supported either; the operator supports 4.20, 4.19"},
		"operator does not say":       {nil, map[string]any{supportedPath + "/supported-versions": object{"data": object{"supported-versions": `{}`}}}, "", "", "", "no release image was given, and the HyperShift operator does not say which versions it supports (ConfigMap hypershift/supported-versions)"},
		"resumes an existing cluster": {nil, map[string]any{clustersPath + "/kv-00": existing}, "registry.example/older", "the existing HostedCluster", "kv-00-older", ""},
		"resumes from the Secrets":    {nil, map[string]any{secretsPath + "/kv-00-etcd-encryption-key": ofEarlier}, "registry.example/own", "the management cluster's own release 4.20.3", "kv-00-begun", ""},
		"being deleted": {
			nil, map[string]any{clustersPath + "/kv-00": object{"metadata": object{"namespace": "clusters", "name": "kv-00", "deletionTimestamp": "2026-01-02T03:04:05Z"}}}, "", "", "",
			"HostedCluster clusters/kv-00 is being deleted since 2026-01-02T03:04:05Z: wait until it is gone (hcctl delete cluster kv-00 says what it waits for), then create it",
		},
		"no pull secret": {
			nil, map[string]any{configPath + "/pull-secret": object{"metadata": metaOf("openshift-config", "pull-secret", nil)}}, "", "", "",
			"--pull-secret: needed here: the management cluster has none of its own to take (Secret openshift-config/pull-secret, key .dockerconfigjson)",
		},
		"bad options": {func(o *Options) { o.Pool().Memory = "8G1" }, nil, "", "", "", `--memory "8G1": not an amount of memory; write it like 8Gi, 16Gi or 8192Mi`},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Prepare(t.Context(), fakeAPI(t, management(tc.changes)), named(tc.ask))
			if tc.err != "" {
				if err == nil || err.Error() != tc.err {
					t.Errorf("got %v\nwant %s", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{tc.release, tc.from}, []string{p.Inputs.ReleaseImage, p.Inputs.ReleaseFrom}); diff != "" {
				t.Error(diff)
			}
			if tc.infraID != "" && p.Inputs.InfraID != tc.infraID {
				t.Errorf("infraID %s, want %s", p.Inputs.InfraID, tc.infraID)
			}
			if string(p.Inputs.PullSecret) != goodPullSecret {
				t.Errorf("pull secret %q", p.Inputs.PullSecret)
			}
		})
	}
}

func TestPrepareWithoutHyperShift(t *testing.T) {
	_, err := Prepare(t.Context(), fakeAPI(t, nil), named(nil))
	var missing *NotInstalledError
	if !errors.As(err, &missing) || missing.ExitCode() != 3 {
		t.Errorf("got %v", err)
	}
}

func TestNameFree(t *testing.T) {
	free := map[string]any{clustersPath: items(), managedPath: items(), namespacesPath: items()}
	deleting := object{"metadata": object{"name": "clusters-kv-00", "deletionTimestamp": "2026-01-02T03:04:05Z"}}
	for name, tc := range map[string]struct {
		changes map[string]any
		want    string
	}{
		"free": {nil, "ok: nothing of that name is in the way"},
		"created by somebody meanwhile": {map[string]any{
			clustersPath + "/kv-00": object{"metadata": metaOf("clusters", "kv-00", nil)}, namespacesPath + "/clusters-kv-00": object{"metadata": object{"name": "clusters-kv-00"}},
		}, "ok: HostedCluster clusters/kv-00: the HostedCluster exists"},
		"a namespace still going":         {map[string]any{namespacesPath + "/clusters-kv-00": deleting}, "pending: Namespace clusters-kv-00: left from an earlier cluster of that name and still being deleted"},
		"someone else's namespace":        {map[string]any{namespacesPath + "/kv-00": object{"metadata": object{"name": "kv-00"}}}, "broken: Namespace kv-00: exists already; the namespace of the ManagedCluster it is imported as would have that name"},
		"someone's else's ManagedCluster": {map[string]any{managedPath + "/kv-00": object{"metadata": object{"name": "kv-00"}}}, "broken: ManagedCluster kv-00: exists already; the ManagedCluster it is imported as would have that name"},
	} {
		t.Run(name, func(t *testing.T) {
			world := maps.Clone(free)
			maps.Copy(world, tc.changes)
			p := &Plan{Options: named(nil), client: fakeAPI(t, world)}
			expect(t, p.nameFree(t.Context()), tc.want)
		})
	}
}

func TestSecretThere(t *testing.T) {
	o := named(nil)
	for name, tc := range map[string]struct {
		secret any
		want   string
	}{
		"absent":       {nil, "missing: Secret clusters/kv-00-etcd-encryption-key: does not exist"},
		"another key":  {object{"data": object{"key": encoded("fedcba9876543210fedcba9876543210")}}, "ok: Secret clusters/kv-00-etcd-encryption-key: exists"},
		"wrong length": {object{"data": object{"key": encoded("short")}}, `broken: Secret clusters/kv-00-etcd-encryption-key: exists, but its key "key" has 5 bytes instead of 32`},
		"no key":       {object{"data": object{"other": encoded("x")}}, `broken: Secret clusters/kv-00-etcd-encryption-key: exists, but has no key "key"`},
	} {
		t.Run(name, func(t *testing.T) {
			world := map[string]any{secretsPath: items()}
			if tc.secret != nil {
				world[secretsPath+"/kv-00-etcd-encryption-key"] = tc.secret
			}
			p := &Plan{Options: o, client: fakeAPI(t, world), exists: true}
			expect(t, p.secretThere(t.Context(), encryptionKey(o, inputs())), tc.want)
		})
	}
}

package creation

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects/objectstest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// TestExistingCompanions: what is there under the names of a new cluster's objects stops it, unless an unfinished
// create of this very cluster has left it, or it is taken on purpose.
func TestExistingCompanions(t *testing.T) {
	key := hostedtest.Encoded("0123456789abcdef0123456789abcdef")
	etcd := func(change func(meta hostedtest.Object)) hostedtest.Object {
		meta := hostedtest.UnfinishedMeta("kv-00-etcd-encryption-key", "kv-00-begun")
		if change != nil {
			change(meta)
		}
		return hostedtest.Object{"metadata": meta, "data": hostedtest.Object{"key": key}}
	}
	pull := func(content string) hostedtest.Object {
		return hostedtest.Object{
			"metadata": hostedtest.UnfinishedMeta("kv-00-pull-secret", "kv-00-begun"),
			"data":     hostedtest.Object{".dockerconfigjson": hostedtest.Encoded(content)},
		}
	}
	annotated := func(more hostedtest.Object) func(hostedtest.Object) {
		return func(meta hostedtest.Object) {
			all := hostedtest.Object{hostedcluster.ClusterAnnotation: "clusters/kv-00"}
			maps.Copy(all, more)
			meta["annotations"] = all
		}
	}
	const etcdPath, pullPath = hostedtest.SecretsPath + "/kv-00-etcd-encryption-key", hostedtest.SecretsPath +
		"/kv-00-pull-secret"
	for name, tc := range map[string]struct {
		world map[string]any
		ask   func(*options.Cluster)
		want  string
	}{
		"none":                    {nil, nil, ""},
		"of an unfinished create": {map[string]any{etcdPath: etcd(nil), pullPath: pull(optionstest.GoodPullSecret)}, nil, ""},
		"a person's": {map[string]any{etcdPath: hostedtest.Object{"metadata": hostedtest.Object{
			"namespace": "clusters", "name": "kv-00-etcd-encryption-key",
			"managedFields": []any{hostedtest.Object{"manager": "kubectl-create"}},
		}, "data": hostedtest.Object{"key": key}}}, nil, `Secret clusters/kv-00-etcd-encryption-key (written by ` +
			`"kubectl-create"; it has no mark of hcctl; whoever put it there knows the key`},
		"labels of hcctl alone": {map[string]any{etcdPath: etcd(func(m hostedtest.Object) { m["annotations"] = nil })}, nil,
			"it has no mark of hcctl"},
		"of another cluster": {map[string]any{etcdPath: etcd(
			annotated(hostedtest.Object{hostedcluster.ClusterAnnotation: "team-evil/kv-00"}))}, nil,
			`marked as that of HostedCluster "team-evil/kv-00"`},
		"of an earlier cluster": {map[string]any{etcdPath: etcd(
			annotated(hostedtest.Object{hostedcluster.ClusterUIDAnnotation: "old"}))}, nil,
			"made for an earlier HostedCluster of this name"},
		"a mark by another's hand": {
			map[string]any{etcdPath: etcd(func(m hostedtest.Object) {
				m["managedFields"] = []any{hostedtest.Object{"manager": "oc"}}
			})}, nil, "hcctl did not write it",
		},
		"another pull secret": {map[string]any{pullPath: pull(`{"auths":{"evil.example":{"auth":"eDp5"}}}`)}, nil,
			"its content is not what this create writes"},
		"two infraIDs": {map[string]any{etcdPath: etcd(func(m hostedtest.Object) {
			m["labels"].(hostedtest.Object)[hostedcluster.InfraLabel] = "another"
		}), pullPath: pull(optionstest.GoodPullSecret)}, nil, `has infraID "kv-00-begun", and this cluster another`},
		"another infraID given": {map[string]any{etcdPath: etcd(nil)}, func(o *options.Cluster) { o.InfraID = "mine-1" },
			`has infraID "kv-00-begun", and this cluster mine-1`},
		"taken on purpose": {map[string]any{etcdPath: etcd(func(m hostedtest.Object) { m["annotations"] = nil })},
			func(o *options.Cluster) { o.AdoptExisting = true }, ""},
		"infraID of another": {map[string]any{hostedtest.AllPath: hostedtest.Items(
			hostedtest.Hosted("dev", "other", "mine-1", "", "10:00:00"))}, func(o *options.Cluster) { o.InfraID = "mine-1" },
			`--infra-id "mine-1": HostedCluster dev/other has it already`},
		"left with another's infraID": {
			map[string]any{etcdPath: etcd(nil), hostedtest.AllPath: hostedtest.Items(
				hostedtest.Hosted("dev", "other", "kv-00-begun", "", "10:00:00"))}, nil,
			"have infraID kv-00-begun, which is that of HostedCluster dev/other",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Prepare(t.Context(), hostedtest.ReadOnly(t, hostedtest.Management(tc.world)), nil,
				optionstest.Valid(t, optionstest.Named(tc.ask)))
			err = optionstest.Flagged(err)
			if tc.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if continues := len(p.Continues); name == "of an unfinished create" && continues != 2 {
					t.Errorf("continues %q", p.Continues)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v\nwant %s", err, tc.want)
			}
			if next := failure.Hint(err).String(); strings.Contains(err.Error(), "are there already") &&
				(failure.Of(err) != failure.Final || !strings.Contains(next, "--"+options.AdoptFlag)) {
				t.Errorf("kind %d, hint %s", failure.Of(err), next)
			}
		})
	}
}

// TestPlantedMeanwhile: what is put there after Prepare has looked is refused by the step that would have made it.
func TestPlantedMeanwhile(t *testing.T) {
	o := optionstest.Valid(t, optionstest.Named(nil))
	planted := hostedtest.Object{
		"metadata": hostedtest.MetaOf("clusters", "kv-00-etcd-encryption-key", nil),
		"data":     hostedtest.Object{"key": hostedtest.Encoded("0123456789abcdef0123456789abcdef")},
	}
	world := map[string]any{
		hostedtest.SecretsPath:                                hostedtest.Items(),
		hostedtest.SecretsPath + "/kv-00-etcd-encryption-key": planted,
		hostedtest.ClustersPath:                               hostedtest.Items(),
	}
	api := kubetest.ServePaths(t, world)
	p := &Plan{Options: o, Inputs: objectstest.Inputs(), client: api.Client, fresh: true, cache: &metadataCache{}}
	f := p.checkSecret(t.Context(), p.client, objectstest.EncryptionKey(o, objectstest.Inputs()))
	if !strings.HasPrefix(f.Message, "is there already") || !strings.Contains(f.Hint.String(), "--"+options.AdoptFlag) {
		t.Errorf("%+v", f)
	}
	// Somebody has created the cluster with it meanwhile: it is that cluster's.
	api.Set("HostedCluster", hostedtest.Hosted("clusters", "kv-00", "i", "", "10:00:00"))
	hostedtest.Expect(
		t,
		p.checkSecret(t.Context(), p.client, objectstest.EncryptionKey(o, objectstest.Inputs())),
		"ok: Secret clusters/kv-00-etcd-encryption-key: exists",
	)
}

// TestPlantedConfig: a ConfigMap for the nodes of a new pool of an existing cluster is refused as well.
func TestPlantedConfig(t *testing.T) {
	config := options.File{Path: "a",
		Content: []byte("apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig")}
	o := optionstest.Valid(t, optionstest.Named(func(o *options.Cluster) { o.Pool().Config = options.Files{config} }))
	world := map[string]any{
		hostedtest.MapsPath:  hostedtest.Items(),
		hostedtest.PoolsPath: hostedtest.Items(),
		hostedtest.MapsPath + "/kv-00-config-1": hostedtest.Object{
			"metadata": hostedtest.MetaOf(
				"clusters",
				"kv-00-config-1",
				hostedtest.Object{hostedcluster.InfraLabel: "kv-00-sffhb"},
			),
			"data": hostedtest.Object{"config": "evil"},
		},
	}
	in := objectstest.Inputs()
	in.UID = "u1"
	api := kubetest.ServePaths(t, world)
	p := &Plan{Options: o, Inputs: in, client: api.Client, exists: true, cache: &metadataCache{}}
	want := objects.PoolConfigs(o, o.NodePools[0], in)[0]
	have := want.DeepCopy()
	have.Annotations, have.Data = nil, map[string]string{"config": "evil"}
	if f, refused := p.foreignFinding(t.Context(), p.client, want, have); !refused ||
		!strings.Contains(f.Message, "no mark of hcctl") {
		t.Errorf("refused %t: %+v", refused, f)
	}
	api.Set("NodePool", hostedtest.Object{"metadata": hostedtest.MetaOf("clusters", "kv-00", nil)})
	if f, refused := p.foreignFinding(t.Context(), p.client, want, have); refused {
		t.Errorf("refused though the pool is there: %+v", f)
	}
}

// TestExact: what exists and is not what is asked for is named, and what does not exist yet is no difference.
func TestExact(t *testing.T) {
	const asked = "--audit-profile WriteRequestBodies --node-labels tier=web"
	o := flags(t, asked)
	exact := func(w *hostedtest.World, text string) string {
		err := prepared(t, w, flags(t, text)).Exact(t.Context(), nil)
		var differs *DiffersError
		if err != nil && (!errors.As(err, &differs) || failure.Of(err) != failure.Missing) {
			t.Fatalf("%s: %v", text, err)
		}
		if err == nil {
			return ""
		}
		return err.Error()
	}
	w := created(t, o)
	for text, want := range map[string]string{
		asked:                                   "",
		asked + " --replicas 3":                 "NodePool clusters/kv-00: spec.replicas is 2, asked for 3",
		asked + " --cluster-cidr 10.140.0.0/14": `HostedCluster clusters/kv-00: spec.networking.clusterNetwork is`,
		asked + " --kas-dns-name kube.example.com":                 "spec.kubeAPIServerDNSName is not set, asked for kube.example.com",
		"--node-labels tier=db --audit-profile WriteRequestBodies": "NodePool clusters/kv-00: spec.nodeLabels.tier is web, asked for db",
	} {
		if got := exact(w, text); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	for _, tc := range []struct{ cluster, pool, want string }{
		{cluster: `{spec: {issuerURL: "https://a.example"}}`,
			want: "HostedCluster clusters/kv-00: spec.issuerURL is not set, asked for https://a.example"},
		{pool: `{metadata: {annotations: {example.com/room: b12}}}`,
			want: "NodePool clusters/kv-00: metadata.annotations.example.com/room is not set, asked for b12"},
	} {
		p := patchedFlags(t, asked, tc.cluster, tc.pool)
		err := prepared(t, w, p).Exact(t.Context(), nil)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("another patch: %v, want %q", err, tc.want)
		}
		if err := prepared(t, created(t, p), p).Exact(t.Context(), nil); err != nil {
			t.Errorf("the same patch: %v", err)
		}
		if got := exact(created(t, p), asked); !strings.Contains(got, "asked for") {
			t.Errorf("a patch that is given no more: %q", got)
		}
	}
	w.Of("NodePool").Delete("clusters", "kv-00")
	if got := exact(w, asked+" --replicas 3"); got != "" {
		t.Errorf("a pool that is not there yet: %s", got)
	}
	if got := exact(world(t), asked); got != "" {
		t.Errorf("nothing is there yet: %s", got)
	}
	if writes := w.Writes(); strings.Contains(writes, "patch") {
		t.Errorf("written:\n%s", writes)
	}
}

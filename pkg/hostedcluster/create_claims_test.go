package hostedcluster

import (
	"errors"
	"maps"
	"strings"
	"testing"
)

// TestExistingCompanions: what is there under the names of a new cluster's objects stops it, unless an unfinished create of this very
// cluster has left it, or it is taken on purpose.
func TestExistingCompanions(t *testing.T) {
	key := encoded("0123456789abcdef0123456789abcdef")
	etcd := func(change func(meta object)) object {
		meta := begunMeta("kv-00-etcd-encryption-key", "kv-00-begun")
		if change != nil {
			change(meta)
		}
		return object{"metadata": meta, "data": object{"key": key}}
	}
	pull := func(content string) object {
		return object{"metadata": begunMeta("kv-00-pull-secret", "kv-00-begun"), "data": object{".dockerconfigjson": encoded(content)}}
	}
	annotated := func(more object) func(object) {
		return func(meta object) {
			all := object{ClusterAnnotation: "clusters/kv-00"}
			maps.Copy(all, more)
			meta["annotations"] = all
		}
	}
	const etcdPath, pullPath = secretsPath + "/kv-00-etcd-encryption-key", secretsPath + "/kv-00-pull-secret"
	for name, tc := range map[string]struct {
		world map[string]any
		ask   func(*Options)
		want  string
	}{
		"none":                    {nil, nil, ""},
		"of an unfinished create": {map[string]any{etcdPath: etcd(nil), pullPath: pull(goodPullSecret)}, nil, ""},
		"a person's": {map[string]any{etcdPath: object{"metadata": object{
			"namespace": "clusters", "name": "kv-00-etcd-encryption-key", "managedFields": []any{object{"manager": "kubectl-create"}},
		}, "data": object{"key": key}}}, nil, `Secret clusters/kv-00-etcd-encryption-key (written by "kubectl-create"; it has no mark of hcctl; whoever put it there knows the key`},
		"labels of hcctl alone": {map[string]any{etcdPath: etcd(func(m object) { m["annotations"] = nil })}, nil, "it has no mark of hcctl"},
		"of another cluster":    {map[string]any{etcdPath: etcd(annotated(object{ClusterAnnotation: "team-evil/kv-00"}))}, nil, `marked as that of HostedCluster "team-evil/kv-00"`},
		"of an earlier cluster": {map[string]any{etcdPath: etcd(annotated(object{ClusterUIDAnnotation: "old"}))}, nil, "made for an earlier HostedCluster of this name"},
		"a mark by another's hand": {
			map[string]any{etcdPath: etcd(func(m object) { m["managedFields"] = []any{object{"manager": "oc"}} })}, nil, "hcctl did not write it",
		},
		"another pull secret":   {map[string]any{pullPath: pull(`{"auths":{"evil.example":{"auth":"eDp5"}}}`)}, nil, "its content is not what this create writes"},
		"two infraIDs":          {map[string]any{etcdPath: etcd(func(m object) { m["labels"].(object)[InfraLabel] = "another" }), pullPath: pull(goodPullSecret)}, nil, `has infraID "kv-00-begun", and this cluster another`},
		"another infraID given": {map[string]any{etcdPath: etcd(nil)}, func(o *Options) { o.InfraID = "mine-1" }, `has infraID "kv-00-begun", and this cluster mine-1`},
		"taken on purpose":      {map[string]any{etcdPath: etcd(func(m object) { m["annotations"] = nil })}, func(o *Options) { o.AdoptExisting = true }, ""},
		"infraID of another":    {map[string]any{allPath: items(hosted("dev", "other", "mine-1", "", "10:00:00"))}, func(o *Options) { o.InfraID = "mine-1" }, `--infra-id "mine-1": HostedCluster dev/other has it already`},
		"left with another's infraID": {
			map[string]any{etcdPath: etcd(nil), allPath: items(hosted("dev", "other", "kv-00-begun", "", "10:00:00"))}, nil, "have infraID kv-00-begun, which is that of HostedCluster dev/other",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Prepare(t.Context(), fakeAPI(t, management(tc.world)), named(tc.ask))
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
			var existing *ExistingError
			if errors.As(err, &existing) && (existing.ExitCode() != 5 || !strings.Contains(existing.Hint(), "--"+AdoptFlag)) {
				t.Errorf("exit code %d, hint %s", existing.ExitCode(), existing.Hint())
			}
		})
	}
}

// TestPlantedMeanwhile: what is put there after Prepare has looked is refused by the step that would have made it.
func TestPlantedMeanwhile(t *testing.T) {
	o := named(nil)
	planted := object{"metadata": metaOf("clusters", "kv-00-etcd-encryption-key", nil), "data": object{"key": encoded("0123456789abcdef0123456789abcdef")}}
	world := map[string]any{secretsPath: items(), secretsPath + "/kv-00-etcd-encryption-key": planted, clustersPath: items()}
	p := &Plan{Options: o, Inputs: inputs(), client: fakeAPI(t, world), fresh: true, known: &known{}}
	f := p.secretThere(t.Context(), encryptionKey(o, inputs()))
	if !strings.HasPrefix(f.Message, "is there already") || !strings.Contains(f.Hint, "--"+AdoptFlag) {
		t.Errorf("%+v", f)
	}
	// Somebody has created the cluster with it meanwhile: it is that cluster's.
	world[clustersPath+"/kv-00"] = hosted("clusters", "kv-00", "i", "", "10:00:00")
	expect(t, p.secretThere(t.Context(), encryptionKey(o, inputs())), "ok: Secret clusters/kv-00-etcd-encryption-key: exists")
}

// TestPlantedConfig: a ConfigMap for the nodes of a new pool of an existing cluster is refused as well.
func TestPlantedConfig(t *testing.T) {
	o := named(func(o *Options) { o.Pool().Config = Files{{Path: "a", Content: []byte("kind: MachineConfig")}} })
	world := map[string]any{mapsPath: items(), poolsPath: items(), mapsPath + "/kv-00-config-1": object{
		"metadata": metaOf("clusters", "kv-00-config-1", object{InfraLabel: "kv-00-sffhb"}), "data": object{"config": "evil"},
	}}
	in := inputs()
	in.UID = "u1"
	p := &Plan{Options: o, Inputs: in, client: fakeAPI(t, world), exists: true, known: &known{}}
	want := poolConfigsOf(o, *o.Pool(), in)[0]
	have := want.DeepCopy()
	have.Annotations, have.Data = nil, map[string]string{"config": "evil"}
	if f, refused := p.refused(t.Context(), want, have); !refused || !strings.Contains(f.Message, "no mark of hcctl") {
		t.Errorf("refused %t: %+v", refused, f)
	}
	world[poolsPath+"/kv-00"] = object{"metadata": metaOf("clusters", "kv-00", nil)}
	if f, refused := p.refused(t.Context(), want, have); refused {
		t.Errorf("refused though the pool is there: %+v", f)
	}
}

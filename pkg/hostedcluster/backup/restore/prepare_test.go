package restore

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

const marked = `annotations: {hcctl.dev/restore: %q}`

// marks are those of an object that hcctl made for the cluster of the backup.
const marks = `labels: {app.kubernetes.io/managed-by: hcctl, hypershift.openshift.io/auto-created-for-infra: kv-00-abcde},
	annotations: {hcctl.dev/hosted-cluster: clusters/kv-00}, managedFields: [{manager: hcctl, operation: Update}]`

// TestPrepare has the worlds in which a restore would take what is not its own, or could not work.
func TestPrepare(t *testing.T) {
	ours := `labels: {app.kubernetes.io/managed-by: hcctl, hypershift.openshift.io/auto-created-for-infra: %s},
		annotations: {hcctl.dev/hosted-cluster: %s}, managedFields: [{manager: hcctl, operation: Update}]`
	namespace := func(meta string) string {
		return `{apiVersion: v1, kind: Namespace, metadata: {name: clusters-kv-00, ` + meta + `}}`
	}
	another := func(namespace, name, spec string) string {
		return fmt.Sprintf(`{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedCluster,
			metadata: {namespace: %s, name: %q}, spec: {%s}}`, namespace, name, spec)
	}
	of := func(meta, spec string) []string { return append(running()[1:], hosted(meta, spec)) }
	for name, tc := range map[string]struct {
		objects []string
		// change is of the backup's HostedCluster.
		change func(spec map[string]any)
		// refused are words of the error; empty where it may go on. notes are of the notes.
		refused, notes  string
		exists, resumed bool
	}{
		"a cluster that runs":     {objects: running(), exists: true},
		"no cluster of that name": {},
		"no cluster, and a backup of while its data was encrypted anew": {change: func(spec map[string]any) {
			spec["secretEncryption"] = parse(`{metadata: {}, type: aescbc, aescbc: {activeKey: {name: kv-00-pull-secret},
				backupKey: {name: kv-00-etcd-encryption-key}}}`)
		}, notes: "forgets that of Secret kv-00-etcd-encryption-key once the cluster runs"},
		"goes on": {objects: of(fmt.Sprintf(marked, `{"id":"1","snapshot":"5eed","replicas":{"etcd":3}}`), ""), exists: true,
			resumed: true},
		"another cluster of that name": {objects: of("", "infraID: kv-00-other"),
			refused: "HostedCluster clusters/kv-00 is another cluster than that of the backup: its infraID is kv-00-other"},
		"is being deleted": {objects: of(`deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [a]`, ""),
			refused: "is being deleted since 2026-01-01T00:00:00Z"},
		"restored from another backup": {objects: of(fmt.Sprintf(marked, `{"id":"1","snapshot":"0ther"}`), ""),
			refused: "is being restored from another backup"},
		"a mark that is no mark":  {objects: of(fmt.Sprintf(marked, `restoring`), ""), refused: "cannot be read"},
		"a mark without a backup": {objects: of(fmt.Sprintf(marked, `{"id":"1"}`), ""), refused: "cannot be read"},
		"a mark with too many replicas": {objects: of(fmt.Sprintf(marked,
			`{"id":"1","snapshot":"5eed","replicas":{"etcd":10}}`), ""), refused: "cannot be read"},
		"a mark with negative replicas": {objects: of(fmt.Sprintf(marked,
			`{"id":"1","snapshot":"5eed","replicas":{"etcd":-1}}`), ""), refused: "cannot be read"},
		"a mark with another workload": {objects: of(fmt.Sprintf(marked,
			`{"id":"1","snapshot":"5eed","replicas":{"router":1}}`), ""), refused: "cannot be read"},
		"another release": {objects: of("", `release: {image: "registry.example/release:4.20.8"}`), exists: true,
			notes: "the backup is of 4.20.3 and the cluster has registry.example/release:4.20.8 now"},
		"another key of etcd": {objects: append(of("", ""), secret("clusters", "kv-00-etcd-encryption-key", "two")),
			refused: "Secret clusters/kv-00-etcd-encryption-key has another key than the backup"},
		"its key is that of another Secret since": {objects: append(rotated(""), secret("clusters", "key-2", "two")),
			refused: "HostedCluster clusters/kv-00 reads its data with the key of Secret key-2, and the backup's needs another"},
		"its key was put into the new Secret": {objects: append(rotated(""), secret("clusters", "key-2", "one")),
			exists: true},
		"its data is encrypted anew": {objects: append(rotated(`status: {secretEncryption: {
			activeKey: {provider: AESCBC, aescbc: {secret: {name: kv-00-etcd-encryption-key}, dataHash: ab}},
			targetKey: {provider: AESCBC, aescbc: {secret: {name: key-2}, dataHash: cd}}}}`),
			secret("clusters", "key-2", "two")), exists: true},
		"its backup key is ignored": {objects: append(rotated(`status: {secretEncryption: {
			activeKey: {provider: AESCBC, aescbc: {secret: {name: key-2}, dataHash: cd}}}}`, "backupKey"),
			secret("clusters", "key-2", "two")), refused: "with the key of Secret key-2, and the backup's needs another"},
		"its backup key reads": {objects: append(rotated("", "backupKey"), secret("clusters", "key-2", "two")), exists: true},
		"the key of a cluster that is gone was replaced": {objects: []string{secret("clusters",
			"kv-00-etcd-encryption-key", "two")}, refused: "has another key than the backup"},
		"a backup without its key": {objects: running(), change: func(spec map[string]any) {
			spec["secretEncryption"] = parse(`{metadata: {}, type: aescbc, aescbc: {activeKey: {name: other}}}`)
		}, refused: "the backup lacks Secret other"},
		"an etcd of its own": {objects: running(), change: func(spec map[string]any) {
			spec["etcd"] = map[string]any{"managementType": "Unmanaged"}
		}, refused: "an etcd of its own"},

		// What the backup's cluster names is in the backup, or is this cluster's.
		"its pull secret is there, of others": {objects: []string{secret("clusters", "kv-00-pull-secret", "theirs")},
			refused: "Secret clusters/kv-00-pull-secret exists, which HostedCluster kv-00"},
		"its pull secret is there, the same": {objects: []string{secret("clusters", "kv-00-pull-secret", "pull")}},
		"its pull secret is there, newer": {objects: []string{`{apiVersion: v1, kind: Secret, metadata: {namespace: clusters,
			name: kv-00-pull-secret, ` + marks + `}, data: {key: bWluZQ==}}`}},
		"marked for another infraID": {objects: []string{strings.Replace(`{apiVersion: v1, kind: Secret, metadata: {namespace:
			clusters, name: kv-00-pull-secret, `+marks+`}, data: {key: bWluZQ==}}`, "kv-00-abcde", "kv-00-other", 1)},
			refused: "nothing shows that it belongs to this cluster"},
		"the pull secret of another cluster": {objects: []string{secret("clusters", "team-b-pull-secret", "theirs")},
			change:  func(spec map[string]any) { spec["pullSecret"] = map[string]any{"name": "team-b-pull-secret"} },
			refused: "Secret clusters/team-b-pull-secret exists, which HostedCluster kv-00"},
		"a pull secret that is nowhere": {change: func(spec map[string]any) {
			spec["pullSecret"] = map[string]any{"name": "gone"}
		}, refused: `names Secret "gone", and the backup lacks it`},
		"a kubeconfig as an OIDC client's secret": {objects: []string{secret("clusters", "b-admin-kubeconfig", "x")},
			change: func(spec map[string]any) {
				spec["configuration"] = parse(`{metadata: {}, authentication: {type: OIDC, oidcProviders: [{name: x, issuer: {issuerURL: "https://x",
					audiences: [a]}, oidcClients: [{componentName: console, componentNamespace: openshift-console, clientID: a,
					clientSecret: {name: b-admin-kubeconfig}}]}]}}`)
			}, refused: "Secret clusters/b-admin-kubeconfig exists"},
		"a ConfigMap of the same name in the backup": {objects: []string{secret("clusters", "kv-00-user-ca-bundle", "x")},
			change:  func(spec map[string]any) { spec["pullSecret"] = map[string]any{"name": "kv-00-user-ca-bundle"} },
			refused: "Secret clusters/kv-00-user-ca-bundle exists"},
		"a field that this hcctl does not know": {objects: []string{secret("clusters", "theirs", "x")},
			change: func(spec map[string]any) {
				spec["future"] = parse(`{metadata: {}, deep: [{credentials: {name: theirs, key: a}}]}`)
			},
			refused: "Secret clusters/theirs exists"},
		"a field with the name as text": {objects: []string{secret("clusters", "theirs", "x")},
			change: func(spec map[string]any) { spec["future"] = parse(`{metadata: {}, tokenSecretName: theirs}`) }, refused: "theirs exists"},
		"a ConfigMap of others": {objects: []string{`{apiVersion: v1, kind: ConfigMap, metadata: {namespace: clusters,
			name: their-ca}}`}, change: func(spec map[string]any) {
			spec["additionalTrustBundle"] = map[string]any{"name": "their-ca"}
		}, refused: "ConfigMap clusters/their-ca exists"},

		// The control plane's namespace is named by two names that are put together.
		"a running cluster shares its namespace": {objects: append(running(),
			hostedControlPlane("00", "clusters-kv/00", "")),
			refused: `it holds the control plane of HostedCluster "clusters-kv/00"`},
		"another cluster's control plane is there": {objects: []string{hostedControlPlane("00", "clusters-kv/00", "")},
			refused: `it holds the control plane of HostedCluster "clusters-kv/00"`},
		"another cluster will have its namespace": {objects: []string{another("clusters-kv", "00", "infraID: x")},
			refused: "Namespace clusters-kv-00 would become the control plane's, but HostedCluster clusters-kv/00 has the same"},
		"a dot instead of a dash": {objects: []string{another("clusters", "kv.00", "infraID: x")},
			refused: "HostedCluster clusters/kv.00 has the same"},
		"a person's namespace": {objects: []string{namespace("")},
			refused: "nothing in it shows that it belongs to HostedCluster clusters/kv-00, which does not exist"},
		"made by hcctl for another cluster": {objects: []string{namespace(fmt.Sprintf(ours, "kv-00-abcde",
			"clusters-kv/00"))}, refused: "nothing in it shows"},
		"made by hcctl for an earlier cluster": {objects: []string{namespace(fmt.Sprintf(ours, "kv-00-older",
			"clusters/kv-00"))}, refused: "nothing in it shows"},
		"marked by a person": {objects: []string{namespace(strings.Replace(fmt.Sprintf(ours, "kv-00-abcde",
			"clusters/kv-00"), "manager: hcctl", "manager: kubectl", 1))}, refused: "nothing in it shows"},
		"made by an earlier restore": {objects: []string{namespace(fmt.Sprintf(ours, "kv-00-abcde", "clusters/kv-00"))}},
		"goes with the cluster": {objects: []string{namespace(
			`deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [kubernetes]`)}},
		"another cluster has the infraID": {objects: []string{another("team", "b", "infraID: kv-00-abcde")},
			refused: "HostedCluster team/b has the spec.infraID kv-00-abcde of the backup"},
		"another cluster has the clusterID": {objects: []string{another("team", "b",
			`infraID: x, clusterID: "11111111-2222-4333-8444-555555555555"`)},
			refused: "HostedCluster team/b has the spec.clusterID 11111111-2222-4333-8444-555555555555 of the backup"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tc.objects...)
			before := w.all()
			content := saved()
			if tc.change != nil {
				content = saved(tc.change)
			}
			p, err := Prepare(t.Context(), w.client, content, nil)
			if tc.refused != "" {
				if err == nil || !strings.Contains(err.Error(), tc.refused) || failure.Hint(err).IsZero() ||
					failure.Of(err) != failure.Final {
					t.Errorf("got %v, want %q with a hint and exit code 5", err, tc.refused)
				}
			} else {
				if err != nil {
					t.Fatal(err)
				}
				if p.Exists != tc.exists || p.Resumed != tc.resumed || p.mark.Created != !tc.exists {
					t.Errorf("exists %t, resumed %t, created %t", p.Exists, p.Resumed, p.mark.Created)
				}
				if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, tc.notes) || tc.notes == "" && notes != "" {
					t.Errorf("notes %q, want %q", notes, tc.notes)
				}
			}
			if after := w.all(); !maps.Equal(before, after) {
				t.Errorf("something was written: %v, %v", before, after)
			}
		})
	}
}

// TestWhatCannotBeRead is never taken for what is not there.
func TestWhatCannotBeRead(t *testing.T) {
	for kind, objects := range map[string][]string{"HostedCluster": running(), "HostedControlPlane": running(),
		"Secret": running(), "Namespace": nil} {
		w := newWorld(t, objects...)
		w.servers[kind].Forbid("")
		if _, err := w.prepare(t.Context()); err == nil || !strings.Contains(err.Error(), "Forbidden") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestNothingOfOthersIsTouched restores beside what others have in the same namespaces.
func TestNothingOfOthersIsTouched(t *testing.T) {
	others := []string{
		`{apiVersion: v1, kind: Secret, metadata: {namespace: clusters, name: kv-00-pull-secret, ` + marks + `},
			data: {key: bWluZQ==}}`,
		`{apiVersion: v1, kind: Namespace, metadata: {name: clusters}}`,
		`{apiVersion: v1, kind: ConfigMap, metadata: {namespace: clusters, name: mine}}`,
		`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {namespace: clusters-kv-00, name: data-etcd-3}}`,
		`{apiVersion: v1, kind: Pod, metadata: {namespace: clusters-kv-00, name: mine, labels: {app: router}}}`,
		`{apiVersion: apps/v1, kind: StatefulSet, metadata: {namespace: clusters-kv-01, name: etcd}, spec: {replicas: 3}}`,
		`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {namespace: clusters-kv-01, name: data-etcd-1}}`,
		`{apiVersion: hypershift.openshift.io/v1beta1, kind: NodePool, metadata: {namespace: clusters, name: other},
			spec: {clusterName: kv-01}}`,
	}
	for name, objects := range map[string][]string{"set back": running(), "created again": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, append(objects, others...)...)
				w.react()
				before := map[string]string{}
				for _, text := range others {
					o := parse(text)
					key := fmt.Sprint(o["kind"], " ", strings.TrimPrefix(fmt.Sprint(namespaceOf(o), "/", nameOf(o)), "/"))
					before[key] = w.all()[key]
				}
				if err := w.run(); err != nil {
					t.Fatal(err)
				}
				after := w.all()
				for key, was := range before {
					if was == "" || after[key] != was {
						t.Errorf("%s was %q and is %q", key, was, after[key])
					}
				}
			})
		})
	}
}

func nameOf(o kubetest.Object) any { return o["metadata"].(kubetest.Object)["name"] }

func namespaceOf(o kubetest.Object) string {
	text, _ := o["metadata"].(kubetest.Object)["namespace"].(string)
	return text
}

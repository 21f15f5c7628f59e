package options_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
)

// TestPlaceInFile shows that a message about a file counts its documents, entries and operations from one.
func TestPlaceInFile(t *testing.T) {
	const object = "{apiVersion: v1, kind: Secret, metadata: {name: a}}\n---\n"
	const config = "{apiVersion: machineconfiguration.openshift.io/v1, kind: MachineConfig}\n---\n"
	const kinds = "; the operator takes MachineConfig, KubeletConfig, ContainerRuntimeConfig, ImageContentSourcePolicy, " +
		"ImageDigestMirrorSet, ClusterImagePolicy, each as it is, not within a ConfigMap"
	patch := func(content string) func(*options.Cluster) {
		return func(o *options.Cluster) { o.Pool().VMJSONPatch = file(content) }
	}
	manifests := func(content string) func(*options.Cluster) {
		return func(o *options.Cluster) { o.Manifests = options.Files{file(content)} }
	}
	configs := func(content string) func(*options.Cluster) {
		return func(o *options.Cluster) { o.Pool().Config = options.Files{file(content)} }
	}
	mirrors := func(content string) func(*options.Cluster) {
		return func(o *options.Cluster) { o.ImageContentSources = file(content) }
	}
	for name, tc := range map[string]struct {
		change func(*options.Cluster)
		want   string
	}{
		"manifests":           {manifests(object), ""},
		"manifest no object":  {manifests(object + "[]"), "line 3: an unexpected array"},
		"manifest no version": {manifests(object + "{kind: Secret}"), "line 3: apiVersion or kind is missing"},
		"manifest no kind":    {manifests(object + "{apiVersion: v1}"), "line 3: apiVersion or kind is missing"},
		"manifest list": {manifests(object + "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Node, metadata: {name: a}}"),
			"line 6, Node a: belongs to the whole management cluster; only objects of the cluster's namespace are taken here"},
		"manifest no name": {manifests(object + "{apiVersion: v1, kind: Secret}"),
			"line 3, Secret: has no name that an object can have"},
		"manifest of all": {manifests(object + "{apiVersion: v1, kind: Node, metadata: {name: a}}"),
			"line 3, Node a: belongs to the whole management cluster; only objects of the cluster's namespace are taken here"},
		"manifest of its own": {manifests("{apiVersion: v1, kind: Secret, metadata: {name: a, namespace: clusters}}"), ""},
		"config":              {configs(config), ""},
		"config of another version": {configs("{apiVersion: machineconfiguration.openshift.io/v1beta1, kind: MachineConfig}"),
			"line 1: this MachineConfig has apiVersion machineconfiguration.openshift.io/v1beta1; the operator takes " +
				"machineconfiguration.openshift.io/v1"},
		"config for masters": {configs("{apiVersion: machineconfiguration.openshift.io/v1, kind: MachineConfig, metadata: " +
			"{labels: {machineconfiguration.openshift.io/role: master}}}"), "line 1: this MachineConfig has the label " +
			"machineconfiguration.openshift.io/role: master; a pool has worker nodes only"},
		"config without ignition": {configs("{apiVersion: machineconfiguration.openshift.io/v1, kind: MachineConfig, " +
			"spec: {config: {ignition: {version: '4'}}}}"), "line 1: this MachineConfig has " +
			"spec.config.ignition.version \"4\"; write one like 3.2.0"},
		"config of a kubelet": {configs("{apiVersion: machineconfiguration.openshift.io/v1, kind: KubeletConfig}"),
			"line 1: this KubeletConfig has no spec.kubeletConfig"},
		"config no version":    {configs(config + "{kind: MachineConfig}"), "line 3: this MachineConfig has no apiVersion"},
		"config of other kind": {configs(config + "{apiVersion: v1, kind: Secret}"), `line 3: it is a "Secret"` + kinds},
		"config of no kind":    {configs(config + "{spec: {}}"), `line 3: it is a ""` + kinds},
		"mirrors":              {mirrors("- {source: a, mirrors: [b]}"), ""},
		"no source":            {mirrors("- {source: a, mirrors: [b]}\n- {mirrors: [b]}"), "line 2: this entry has no source"},
		"most mirrors":         {mirrors(strings.Repeat("- {source: a, mirrors: [b]}\n", 255)), ""},
		"too many mirrors": {mirrors(strings.Repeat("- {source: a, mirrors: [b]}\n", 256)),
			"has 256 sources, at most 255 are allowed"},
		"sets of mirrors": {mirrors("apiVersion: config.openshift.io/v1\nkind: ImageDigestMirrorSet\nmetadata: {name: a}\n" +
			"spec:\n  imageDigestMirrors: [{source: a, mirrors: [b]}]\n---\n- {source: c, mirrors: [d]}"), ""},
		"set with another's list": {mirrors("apiVersion: config.openshift.io/v1\nkind: ImageDigestMirrorSet\n" +
			"spec:\n  imageTagMirrors: [{source: a, mirrors: [b]}]"), `line 4: unknown field "spec.imageTagMirrors"`},
		"set with an unknown field": {mirrors("apiVersion: v1\nkind: List\nitems:\n- apiVersion: config.openshift.io/v1\n" +
			"  kind: ImageTagMirrorSet\n  spec:\n    imageTagMirrors:\n    - source: a\n      mirror: [b]"),
			`line 9: unknown field "spec.imageTagMirrors[0].mirror"`},
		"set that shuts the source": {mirrors("apiVersion: config.openshift.io/v1\nkind: ImageDigestMirrorSet\nspec:\n" +
			"  imageDigestMirrors:\n  - source: a\n    mirrors: [b]\n    mirrorSourcePolicy: NeverContactSource"),
			"line 7: mirrorSourcePolicy NeverContactSource of a cannot be said of a hosted cluster, which asks the source " +
				"where no mirror answers; take it out"},
		"object without mirrors": {mirrors("\napiVersion: v1\nkind: Secret"), "line 2: Secret of v1 has no mirrors; there " +
			"are ImageDigestMirrorSet and ImageTagMirrorSet of config.openshift.io/v1, and ImageContentSourcePolicy of " +
			"operator.openshift.io/v1alpha1"},
		"patch replace": {patch(`[{"op":"remove","path":"/a"},{"op":"replace","path":"/a"}]`),
			"line 1, operation 2: replace needs a value"},
		"patch test": {patch(`[{"op":"remove","path":"/a"},{"op":"test","path":"/a"}]`), "line 1, operation 2: test needs a value"},
		"patch copy": {patch(`[{"op":"remove","path":"/a"},{"op":"copy","path":"/a"}]`),
			"line 1, operation 2: copy needs from, a path that begins with /"},
		"patch values": {patch(
			`[{"op":"test","path":"/a","value":1},{"op":"replace","path":"/a","value":2},{"op":"move","path":"/b","from":"/a"}]`), ""},
		"patch empty": {patch("[]"), "the patch is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			err := optionstest.Refusal(optionstest.Named(tc.change))
			if err == nil && tc.want == "" {
				return
			}
			if err == nil || tc.want == "" || !strings.HasSuffix(err.Error(), ` "f.yaml": `+tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

func TestKubeconfigOfFiles(t *testing.T) {
	const inFiles = `--audit-webhook "f.yaml": the kubeconfig names files, which the cluster does not have; oc config ` +
		`view --flatten --raw writes their content into it`
	const noServer = `--audit-webhook "f.yaml": the kubeconfig's current context has no server`
	for content, want := range map[string]string{
		"clusters: [{name: a, cluster: {server: https://a}}]":                                                        "",
		"clusters: [{name: a, cluster: {server: https://a}}]\nusers: [{name: a, user: {token: b}}]":                  "",
		"clusters: [{name: a, cluster: {server: https://a, certificate-authority: ca.crt}}]":                         inFiles,
		"clusters: [{name: a, cluster: {server: https://a}}]\nusers: [{name: a, user: {client-certificate: b.crt}}]": inFiles,
		"clusters: [{name: a, cluster: {}}]":                                                                         noServer,
		"clusters: []":                                                                                               noServer,
	} {
		t.Run(content, func(t *testing.T) {
			content += "\ncontexts: [{name: a, context: {cluster: a, user: a}}]\ncurrent-context: a\n"
			refused(t, optionstest.Named(func(o *options.Cluster) { o.AuditWebhook = file(content) }), want)
		})
	}
}

func TestPublicKeyWithoutKey(t *testing.T) {
	blob := base64.StdEncoding.EncodeToString([]byte("\x00\x00\x00\x07ssh-rsa"))
	refused(t, optionstest.Named(keyFrom("ssh-rsa "+blob)), `--ssh-key "id.pub": line 1 is not a public key of the form `+
		`"ssh-ed25519 AAAA... comment"`)
}

// TestPatchOfVM has each part of the patch by itself, and all of them.
func TestPatchOfVM(t *testing.T) {
	const (
		toleration = `{"op":"add","path":"/spec/template/spec/tolerations","value":[{"key":"a","operator":"Exists"}]}`
		affinity   = `{"op":"add","path":"/spec/template/spec/affinity","value":{"podAntiAffinity":{}}}`
		pinning    = `{"op":"add","path":"/spec/template/spec/domain/cpu/dedicatedCpuPlacement","value":true}`
		own        = `{"op":"remove","path":"/a"}`
	)
	tolerate := func(p *options.NodePool) { p.VMToleration = []string{"key=a,operator=Exists"} }
	prefer := func(p *options.NodePool) { p.VMAffinity = file("podAntiAffinity: {}") }
	pin := func(p *options.NodePool) { p.QoSClass, p.CPUPinning = "Guaranteed", true }
	patch := func(p *options.NodePool) { p.VMJSONPatch = file("[" + own + "]") }
	for want, changes := range map[string][]func(*options.NodePool){
		"":                     nil,
		"[" + toleration + "]": {tolerate},
		"[" + affinity + "]":   {prefer},
		"[" + pinning + "]":    {pin},
		"[" + own + "]":        {patch},
		"[" + toleration + "," + affinity + "," + pinning + "," + own + "]": {patch, pin, prefer, tolerate},
	} {
		pool := options.DefaultNodePool()
		for _, change := range changes {
			change(&pool)
		}
		v, err := pool.Validate()
		if err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		o, err := options.ForExisting("kv-00", "clusters", "amd64", nil, v)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, o.VMPatch(v, "")); diff != "" {
			t.Error(diff)
		}
	}
}

// TestPlacesAreSaidOnce has what the flags of one pool cannot say.
func TestPlacesAreSaidOnce(t *testing.T) {
	const list = `[{"op":"add","path":"/spec/template/spec/topologySpreadConstraints","value":[]}]`
	for name, tc := range map[string]struct {
		change func(*options.Cluster)
		want   string
	}{
		"all": {func(o *options.Cluster) {
			o.Spread, o.Pool().Spread = []string{"host", "zone=preferred", "rack,max=2"}, []string{"host=preferred"}
			o.Pool().VMJSONPatch = file(list)
		}, ""},
		"twice": {func(o *options.Cluster) { o.Spread = []string{"host", "kubernetes.io/hostname"} },
			`--spread "host=required": host is given twice`},
		"twice in a pool": {func(o *options.Cluster) { o.Pool().Spread = []string{"rack", "rack,max=2"} },
			`--spread "rack=required,max=2": rack is given twice`},
		"for the cluster and the pool": {func(o *options.Cluster) {
			o.Spread, o.Pool().Spread = []string{"rack"}, []string{"rack,max=1"}
		}, `--spread "rack=required,max=1": said for all pools of the cluster already`},
		"a patch that takes a part": {func(o *options.Cluster) {
			o.Spread = []string{"rack"}
			o.Pool().VMJSONPatch = file(strings.Replace(list, "Constraints", "Constraints/0", 1))
		}, `--vm-json-patch "f.yaml": operation 1 (/spec/template/spec/topologySpreadConstraints/0) changes what --spread and ` +
			`--avoid write; set the whole of /spec/template/spec/topologySpreadConstraints with op add, which is joined with it`},
		"a patch of the cluster": {func(o *options.Cluster) {
			o.Avoid = options.List{"kv-01"}
			o.Annotations = options.Annotations{hyperv1.JSONPatchAnnotation: `[{"op":"remove","path":"/spec/template/spec"}]`}
		}, `--annotations "hypershift.openshift.io/kubevirt-vm-jsonpatch": operation 1 (/spec/template/spec) changes what ` +
			`--spread and --avoid write; set the whole of /spec/template/spec/affinity with op add, which is joined with it`},
	} {
		t.Run(name, func(t *testing.T) { refused(t, optionstest.Named(tc.change), tc.want) })
	}
}

func TestMappingsAreKept(t *testing.T) {
	v := optionstest.Valid(t, optionstest.Named(func(o *options.Cluster) {
		o.InfraStorageClassMapping = []string{"a/b", "c/d,group=e"}
		o.InfraVolumeSnapshotClassMapping = []string{"f/g,group=e"}
	}))
	if diff := cmp.Diff([]hyperv1.KubevirtStorageClassMapping{
		{InfraStorageClassName: "a", GuestStorageClassName: "b"},
		{InfraStorageClassName: "c", GuestStorageClassName: "d", Group: "e"},
	}, v.InfraStorageClassMapping); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]hyperv1.KubevirtVolumeSnapshotClassMapping{
		{InfraVolumeSnapshotClassName: "f", GuestVolumeSnapshotClassName: "g", Group: "e"},
	}, v.InfraVolumeSnapshotClassMapping); diff != "" {
		t.Error(diff)
	}
}

// TestServicesByNodePort shows which services are published, and which addresses their node ports get.
func TestServicesByNodePort(t *testing.T) {
	for flags, want := range map[string]string{
		"":                            "APIServer Ignition Konnectivity OAuthServer",
		"--publish Ignition=NodePort": "APIServer Ignition=192.0.2.9 Konnectivity OAuthServer",
		"--publish Ignition=NodePort,address=192.0.2.8": "APIServer Ignition=192.0.2.8 Konnectivity OAuthServer",
		"--publish Ignition=NodePort --api-server-address 192.0.2.7": "APIServer Ignition=192.0.2.7 Konnectivity " +
			"OAuthServer",
		"--service-publishing-strategy NodePort": "APIServer=192.0.2.9 Ignition=192.0.2.9 Konnectivity=192.0.2.9 " +
			"OAuthServer=192.0.2.9 OIDC=192.0.2.9",
		"--service-publishing-strategy NodePort --publish Ignition=Route --api-server-address 192.0.2.7": "APIServer=192.0.2.7 " +
			"Ignition Konnectivity=192.0.2.7 OAuthServer=192.0.2.7 OIDC=192.0.2.7",
	} {
		v := optionstest.Valid(t, optionstest.With(t, flags))
		var got []string
		for _, m := range v.Services("192.0.2.9") {
			text := string(m.Service)
			if m.NodePort != nil {
				text += "=" + m.NodePort.Address
			}
			got = append(got, text)
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s: %s", flags, diff)
		}
		if asks := strings.Contains(want, "192.0.2.9"); v.NeedsNodeAddress() != asks {
			t.Errorf("%s: needs an address of a node: %t, want %t", flags, !asks, asks)
		}
	}
}

func file(content string) options.File { return options.File{Path: "f.yaml", Content: []byte(content)} }

// TestMirrorsOfObjects reads what oc-mirror writes and oc get prints.
func TestMirrorsOfObjects(t *testing.T) {
	got, err := options.ParseImageContentSources([]byte(`apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata: {name: idms-release-0}
spec:
  imageDigestMirrors:
  - {source: quay.io/a, mirrors: [mirror.example/a]}
status: {}
---
apiVersion: config.openshift.io/v1
kind: ImageTagMirrorSetList
items:
- metadata: {name: itms, managedFields: [{manager: oc, operation: Update}], resourceVersion: "7"}
  spec:
    imageTagMirrors:
    - {source: quay.io/a, mirrors: [mirror.example/a, other.example/a], mirrorSourcePolicy: AllowContactingSource}
---
apiVersion: operator.openshift.io/v1alpha1
kind: ImageContentSourcePolicy
metadata: {name: icsp}
spec: {repositoryDigestMirrors: [{source: quay.io/b, mirrors: [mirror.example/b]}]}
`))
	want := []hyperv1.ImageContentSource{{Source: "quay.io/a", Mirrors: []string{"mirror.example/a", "other.example/a"}},
		{Source: "quay.io/b", Mirrors: []string{"mirror.example/b"}}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

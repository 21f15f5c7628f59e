package gitops_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/hcctl/hcctl/pkg/fleet/gitops"
)

type object = map[string]any

func thing(apiVersion, kind, namespace, name string, spec object) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: object{"apiVersion": apiVersion, "kind": kind, "metadata": object{"name": name}}}
	u.SetNamespace(namespace)
	if spec != nil {
		u.Object["spec"] = spec
	}
	return u
}

func environment(name, memory string) gitops.Environment {
	const hypershift = "hypershift.openshift.io/v1beta1"
	cluster := thing(hypershift, "HostedCluster", name, "front", object{"infraID": "front-" + name, "sshKey": object{},
		"pullSecret": object{"name": "front-pull-secret"}})
	cluster.SetLabels(map[string]string{"env": name})
	return gitops.Environment{Name: name, Secrets: []string{name + "/front-pull-secret", name + "/front-etcd-encryption-key"},
		Objects: []*unstructured.Unstructured{thing("v1", "Namespace", "", name, nil), cluster,
			thing(hypershift, "NodePool", name, "front", object{"clusterName": "front", "replicas": int64(1),
				"platform": object{"kubevirt": object{"compute": object{"memory": memory}}}})}}
}

func options() gitops.Options {
	return gitops.Options{RepoURL: "https://git.example.com/team/fleet.git", Image: "registry.example.com/hcctl:1.0",
		VirtualizationCSV: "kubevirt-hyperconverged-operator.v4.20.1",
		Environments:      []gitops.Environment{environment("dev", "8Gi"), environment("prod", "16Gi")}}
}

// write writes the repository into a directory of its own.
func write(t *testing.T, o gitops.Options) string {
	t.Helper()
	files, err := gitops.Repository(o)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range files {
		at := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// build is what kustomize makes of a directory, by "Kind name".
func build(t *testing.T, dir string) map[string]*unstructured.Unstructured {
	t.Helper()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		t.Fatalf("%s: %v", dir, err)
	}
	all := map[string]*unstructured.Unstructured{}
	for _, r := range resources.Resources() {
		content, err := r.Map()
		if err != nil {
			t.Fatal(err)
		}
		all[r.GetKind()+" "+r.GetName()] = &unstructured.Unstructured{Object: content}
	}
	return all
}

func text(u *unstructured.Unstructured, fields ...string) string {
	if u == nil {
		return "no object"
	}
	found, _, _ := unstructured.NestedFieldNoCopy(u.Object, fields...)
	return fmt.Sprint(found)
}

// TestEveryDirectoryBuilds has kustomize build each directory that has a kustomization.
func TestEveryDirectoryBuilds(t *testing.T) {
	for _, from := range []gitops.ClustersFrom{gitops.Placement, gitops.Labels} {
		o := options()
		o.ClustersFrom = from
		dir, directories := write(t, o), 0
		err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
			if err == nil && info.Name() == "kustomization.yaml" {
				directories++
				if len(build(t, filepath.Dir(path))) == 0 {
					t.Errorf("%s is empty", path)
				}
			}
			return err
		})
		if err != nil || directories != 14 {
			t.Errorf("%s: %d directories, %v", from, directories, err)
		}
	}
}

// TestVersionIsInOnePlace: what the Job approves is what the Subscription of the environment pins.
func TestVersionIsInOnePlace(t *testing.T) {
	dir := write(t, options())
	version := filepath.Join(dir, "virtualization/overlays/prod/version.yaml")
	data, err := os.ReadFile(version)
	if err != nil {
		t.Fatal(err)
	}
	raised := strings.ReplaceAll(string(data), "v4.20.1", "v4.20.2")
	if err := os.WriteFile(version, []byte(raised), 0o600); err != nil {
		t.Fatal(err)
	}
	for env, want := range map[string]string{"dev": "v4.20.1", "prod": "v4.20.2"} {
		all := build(t, filepath.Join(dir, "virtualization/overlays", env))
		want = "kubevirt-hyperconverged-operator." + want
		subscription, job := all["Subscription kubevirt-hyperconverged"], all["Job installplan-approver"]
		if text(subscription, "spec", "startingCSV") != want || text(subscription, "spec", "installPlanApproval") != "Manual" {
			t.Errorf("%s: %v", env, subscription)
		}
		if got := text(job, "spec", "template", "spec", "containers"); !strings.Contains(got, "value:"+want) {
			t.Errorf("%s: the Job approves another version: %s", env, got)
		}
	}
}

// TestWaves: the kinds come after the operator that brings them, and what approves it is in its own wave: Argo CD waits
// for a wave to be healthy before it begins the next.
func TestWaves(t *testing.T) {
	const wave = "argocd.argoproj.io/sync-wave"
	all := build(t, filepath.Join(write(t, options()), "virtualization/overlays/dev"))
	got := map[string]string{}
	for name, u := range all {
		got[name] = u.GetAnnotations()[wave]
	}
	for name, want := range map[string]string{"Namespace openshift-cnv": "0", "OperatorGroup openshift-cnv": "1",
		"RoleBinding installplan-approver": "1", "Subscription kubevirt-hyperconverged": "2", "Job installplan-approver": "2",
		"HyperConverged kubevirt-hyperconverged": "3"} {
		if got[name] != want {
			t.Errorf("%s is in wave %q, want %s", name, got[name], want)
		}
	}
	for _, name := range []string{"HyperConverged kubevirt-hyperconverged"} {
		if all[name].GetAnnotations()["argocd.argoproj.io/sync-options"] != "SkipDryRunOnMissingResource=true" {
			t.Errorf("%s has a dry run before its kind is there", name)
		}
	}
}

// TestEnvironmentsDiffer: one edit in an overlay changes that environment and no other.
func TestEnvironmentsDiffer(t *testing.T) {
	dir := write(t, options())
	vm := filepath.Join(dir, "demo-vm/overlays/prod/virtualmachine.yaml")
	data, err := os.ReadFile(vm)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(vm, []byte(strings.Replace(string(data), "runStrategy: Halted", "runStrategy: Always", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for env, want := range map[string]string{"dev": "Halted", "prod": "Always"} {
		all := build(t, filepath.Join(dir, "demo-vm/overlays", env))
		if got := text(all["VirtualMachine demo"], "spec", "runStrategy"); got != want {
			t.Errorf("%s: %s", env, got)
		}
	}
	for env, want := range map[string]string{"dev": "8Gi", "prod": "16Gi"} {
		all := build(t, filepath.Join(dir, "environments", env))
		if got := text(all["NodePool front"], "spec", "platform", "kubevirt", "compute", "memory"); got != want {
			t.Errorf("%s: %s", env, got)
		}
		if got := text(all["HostedCluster front"], "spec", "sshKey"); got != "<nil>" {
			t.Errorf("%s: an empty field, which an operator fills, is in Git: %s", env, got)
		}
		for hook, phase := range map[string]string{"Job hcctl-check": "PreSync", "Job hcctl-wait": "PostSync"} {
			if all[hook] == nil || all[hook].GetAnnotations()["argocd.argoproj.io/hook"] != phase || all[hook].GetNamespace() != env {
				t.Errorf("%s: %v", env, all[hook])
			}
		}
	}
}

// TestSameNames: two clusters of one name on one management cluster are told, and no others.
func TestSameNames(t *testing.T) {
	if got := gitops.SameNames(options().Environments); !slices.Equal(got, []string{"dev/front and prod/front"}) {
		t.Errorf("%v", got)
	}
	dev, prod := environment("dev", "8Gi"), environment("prod", "8Gi")
	prod.Objects[1].SetName("back")
	if got := gitops.SameNames([]gitops.Environment{dev, prod}); len(got) > 0 {
		t.Errorf("%v", got)
	}
}

// TestApplicationSets: each environment once, from the source that was chosen, and never one into the other's place.
func TestApplicationSets(t *testing.T) {
	for from, want := range map[gitops.ClustersFrom]string{gitops.Placement: "clusterDecisionResource", gitops.Labels: "clusters"} {
		o := options()
		o.ClustersFrom, o.Path = from, "fleets/shop"
		all := build(t, filepath.Join(write(t, o), "argocd"))
		if (all["Placement hosted-clusters-dev"] != nil) != (from == gitops.Placement) {
			t.Errorf("%s: placements", from)
		}
		for name, set := range map[string]string{"virtualization": "{{.values.env}}", "demo-vm": "{{.values.env}}", "hosted-clusters": "{{.env}}"} {
			u := all["ApplicationSet "+name]
			directory := name + "/overlays/"
			if name == "hosted-clusters" {
				directory = "environments/"
			} else if got := text(u, "spec", "generators"); strings.Count(got, want+":") != 2 {
				t.Errorf("%s %s: %s", from, name, got)
			}
			if got := text(u, "spec", "template", "spec", "source", "path"); got != "fleets/shop/"+directory+set {
				t.Errorf("%s %s: %s", from, name, got)
			}
			policy := []string{"spec", "template", "spec", "syncPolicy"}
			// What operators bring into hosted clusters cannot be compared by the OpenAPI document that Argo CD has kept.
			server := strings.Contains(text(u, append(policy, "syncOptions")...), "ServerSideApply=true")
			if server != (name == "hosted-clusters") {
				t.Errorf("%s: server-side apply: %v", name, server)
			}
			if got := text(u, append(policy, "retry", "refresh")...); got != "true" {
				t.Errorf("%s: a retry keeps the commit that failed: %s", name, got)
			}
			if got := text(u, "spec", "template", "spec", "syncPolicy", "automated", "prune"); got != "false" {
				t.Errorf("%s: what is not in Git would be deleted: %s", name, got)
			}
		}
		if got := text(all["AppProject hosted-cluster-content"], "spec", "destinations"); !strings.Contains(got,
			"!https://kubernetes.default.svc") {
			t.Errorf("what is for hosted clusters could reach the management cluster: %s", got)
		}
		if got := text(all["ApplicationSet hosted-clusters"], "spec", "template", "spec", "ignoreDifferences"); !strings.Contains(got,
			"/spec/infraID") || !strings.Contains(got, "autoScaling") {
			t.Error(got)
		}
	}
}

// TestNoSecrets: there is no Secret in the repository, only forms for it; and the hooks may not read those of the
// clusters.
func TestNoSecrets(t *testing.T) {
	files, err := gitops.Repository(options())
	if err != nil {
		t.Fatal(err)
	}
	kind := regexp.MustCompile(`(?m)^\s*kind: Secret$`)
	for _, f := range files {
		if kind.Match(f.Data) {
			t.Errorf("%s has a Secret", f.Path)
		}
	}
	at := slices.IndexFunc(files, func(f gitops.File) bool { return f.Path == "secrets/external-secrets/dev.yaml" })
	if at < 0 || !strings.Contains(string(files[at].Data), "name: front-etcd-encryption-key") ||
		!strings.Contains(string(files[at].Data), "secretKey: key\n") {
		t.Errorf("no form for the etcd key: %v", at)
	}
	dir := write(t, options())
	for name, u := range build(t, filepath.Join(dir, "argocd")) {
		rules, _, _ := unstructured.NestedSlice(u.Object, "rules")
		for _, r := range rules {
			if rule := fmt.Sprint(r); strings.Contains(rule, "secrets") && !strings.Contains(rule, "resourceNames:[pull-secret]") {
				t.Errorf("%s reads Secrets: %s", name, rule)
			}
		}
	}
}

func TestWrongOptions(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*gitops.Options)
		want   string
	}{
		"no repository":        {func(o *gitops.Options) { o.RepoURL = "" }, "--repo-url: missing"},
		"a password":           {func(o *gitops.Options) { o.RepoURL = "https://me:hunter2@git.example.com/x" }, "has a password"},
		"a line break":         {func(o *gitops.Options) { o.RepoURL = "https://a/b\nkind: Secret" }, "--repo-url: not the URL"},
		"a way of git's":       {func(o *gitops.Options) { o.RepoURL = "ext://sh" }, "git cannot clone by"},
		"no branch":            {func(o *gitops.Options) { o.Revision = "--upload-pack=x" }, "--revision"},
		"out of the directory": {func(o *gitops.Options) { o.Path = "../x" }, "--path"},
		"no image":             {func(o *gitops.Options) { o.Image = "" }, "--image: missing"},
		"two words of image":   {func(o *gitops.Options) { o.Image = "a b" }, `--image "a b"`},
		"no version":           {func(o *gitops.Options) { o.VirtualizationCSV = "" }, "--virtualization-csv: missing"},
		"another operator":     {func(o *gitops.Options) { o.VirtualizationCSV = "metallb-operator.v4.20.0" }, "--virtualization-csv"},
		"a channel of yaml":    {func(o *gitops.Options) { o.VirtualizationChannel = "a: b" }, "--virtualization-channel"},
		"from nowhere":         {func(o *gitops.Options) { o.ClustersFrom = "x" }, "--clusters-from"},
		"no namespace":         {func(o *gitops.Options) { o.ArgoNamespace = "A" }, "--argocd-namespace"},
		"no environments":      {func(o *gitops.Options) { o.Environments = nil }, "has no environments"},
	} {
		o := options()
		tc.change(&o)
		_, err := gitops.Repository(o)
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
	o := options()
	o.RepoURL = "git@git.example.com:team/fleet.git"
	if _, err := gitops.Repository(o); err != nil {
		t.Error(err)
	}
}

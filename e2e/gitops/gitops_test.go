package gitops

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/internal/sandbox"
)

const (
	namespace = "openshift-gitops"
	version   = "kubevirt-hyperconverged-operator.v4.20.1"
	fleet     = `apiVersion: hcctl.dev/v1alpha1
kind: Fleet
defaults:
  spec: {releaseImage: "quay.io/openshift-release-dev/ocp-release:4.20.3-multi"}
  nodePool: {replicas: 1}
environments:
  dev: {metadata: {namespace: dev}}
  prod: {metadata: {namespace: prod}}
clusters:
- metadata: {name: front-dev}
  environments: [dev]
- metadata: {name: front-prod}
  environments: [prod]
`
)

type kind = schema.GroupVersionKind

// What is in Secrets, and must be nowhere else.
const (
	pullMark  = "cHVsbC1zZWNyZXQ6bWFyaw=="
	keyMark   = "the-etcd-key-that-is-in-a-secret"
	keyMark64 = "dGhlLWV0Y2Qta2V5LXRoYXQtaXMtaW4tYS1zZWNyZXQ="
)

var (
	applications   = kind{Group: "argoproj.io", Version: "v1alpha1", Kind: "Application"}
	secrets        = kind{Version: "v1", Kind: "Secret"}
	nodePools      = kind{Group: "hypershift.openshift.io", Version: "v1beta1", Kind: "NodePool"}
	machines       = kind{Group: "kubevirt.io", Version: "v1", Kind: "VirtualMachine"}
	subscriptions  = kind{Group: "operators.coreos.com", Version: "v1alpha1", Kind: "Subscription"}
	installPlans   = kind{Group: "operators.coreos.com", Version: "v1alpha1", Kind: "InstallPlan"}
	hyperConverged = kind{Group: "hco.kubevirt.io", Version: "v1beta1", Kind: "HyperConverged"}
	jobs           = kind{Group: "batch", Version: "v1", Kind: "Job"}

	applicationSets = kind{Group: "argoproj.io", Version: "v1alpha1", Kind: "ApplicationSet"}
	projects        = kind{Group: "argoproj.io", Version: "v1alpha1", Kind: "AppProject"}
	manifestWorks   = kind{Group: "work.open-cluster-management.io", Version: "v1", Kind: "ManifestWork"}
	events          = kind{Version: "v1", Kind: "Event"}
)

// story is one run: the management cluster, its hosted clusters, and the repository.
type story struct {
	t          *testing.T
	hub        *cluster
	kubeconfig string
	repository string
	// clusterPrefix is what the names of Applications have before the hosted cluster's, such as "dev.".
	clusterPrefix func(env string) string
}

// application is the Application that brings a directory into the hosted cluster of an environment.
func (s *story) application(directory, env string) string {
	return directory + "-" + s.clusterPrefix(env) + "front-" + env
}

// hcctl runs it and returns its exit code and output.
func (s *story) hcctl(args ...string) (code int, out, errs string) {
	s.t.Helper()
	cmd := exec.Command(program(s.t, "HCCTL_BIN"), args...)
	var stdout, stderr bytes.Buffer
	cmd.Env = append(os.Environ(), "KUBECONFIG="+s.kubeconfig, "HOME="+s.t.TempDir())
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// must runs hcctl, which has to end well.
func (s *story) must(args ...string) string {
	s.t.Helper()
	code, out, errs := s.hcctl(args...)
	if code != 0 {
		s.t.Fatalf("hcctl %s: exit %d\n%s%s", strings.Join(args, " "), code, out, errs)
	}
	return out
}

func (s *story) git(args ...string) []byte {
	s.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", s.repository, "-c", "user.name=e2e", "-c",
		"user.email=e2e@example.com"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return out
}

// TestGitOps is the way from a fleet file to virtual machines in hosted clusters: Argo CD's own controllers and
// repository server, on the management cluster's and the hosted clusters' real API servers, with hooks that run hcctl
// itself. The sandbox plays OpenShift GitOps' operator, and the operators inside of hosted clusters.
func TestGitOps(t *testing.T) {
	if os.Getenv("HCCTL_E2E_GITOPS") == "" {
		t.Skip("make test-gitops runs it: it needs the programs that make sandbox-gitops builds")
	}
	p := sandbox.Start(t, "--profile", "gitops", "--speed", "20", "--lean", "--guests", "2", "--openapi=true", "--run",
		program(t, "HCCTL_BIN"))
	data, err := os.ReadFile(p.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	s := &story{t: t, hub: connect(t, config(t, data)), kubeconfig: p.Kubeconfig, repository: t.TempDir(),
		clusterPrefix: func(env string) string { return env + "." }}
	s.init("labels")

	guests := map[string]*cluster{}
	for _, env := range []string{"dev", "prod"} {
		s.hub.until(nodePools, env, "front-"+env, "front-"+env, "spec", "clusterName")
		s.must("wait", "cluster", "front-"+env, "-n", env, "--for", "api", "--timeout", "5m")
		guests[env] = connect(t, config(t, []byte(s.must("kubeconfig", "front-"+env, "-n", env))))
		s.must("gitops", "register", "front-"+env, "-n", env, "--yes")
	}
	s.tokens()
	for env, guest := range guests {
		s.virtualization(env, guest)
	}
	// The demo VM is there, stopped.
	for env, guest := range guests {
		guest.until(machines, "demo", "demo", "Halted", "spec", "runStrategy")
		s.hub.until(applications, namespace, s.application("demo-vm", env), "Suspended", "status", "health", "status")
		s.hooks(env)
	}
	// What was stopped on purpose needs no reason.
	if code, out, _ := s.hcctl("gitops", "status"); code != 0 || strings.Count(out, " Synced ") != 6 ||
		len(regexp.MustCompile(`(?m)^demo-vm-\S+ +\S+ +Synced +Suspended *$`).FindAllString(out, -1)) != 2 {
		t.Errorf("six Applications are synced, and status says, with exit code %d:\n%s", code, out)
	}
	s.contentChanges(guests)
	s.clusterChanges()
	s.noSecrets(guests)
}

// hooks: the sync of the hosted clusters has ended, with hcctl check before it and hcctl wait after it, which ran for
// real: the pods of the Jobs say what they ended with.
func (s *story) hooks(env string) {
	s.t.Helper()
	s.hub.until(applications, namespace, "hosted-clusters-"+env, "Synced", "status", "sync", "status")
	s.hub.until(applications, namespace, "hosted-clusters-"+env, "Healthy", "status", "health", "status")
	s.hub.until(applications, namespace, "hosted-clusters-"+env, "Succeeded", "status", "operationState", "phase")
	for _, job := range []string{"hcctl-check", "hcctl-wait"} {
		s.hub.until(jobs, env, job, "1", "status", "succeeded")
	}
}

// init makes the repository, and is the administrator who applies argocd/ once, and makes the Secrets.
func (s *story) init(clustersFrom string) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "fleet.yaml")
	if err := os.WriteFile(file, []byte(fleet), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.must("gitops", "init", s.repository, "-f", file, "--repo-url", "file://"+s.repository, "--image",
		"registry.example/hcctl:1", "--virtualization-csv", version, "--clusters-from",
		clustersFrom)
	s.git("init", "-q", "-b", "main", ".")
	s.git("add", "-A")
	s.git("commit", "-qm", "Begin")
	s.hub.apply(documents(s.t, s.kustomize(filepath.Join(s.repository, "argocd")))...)
	for _, env := range []string{"dev", "prod"} {
		s.hub.apply(secret(env, "front-"+env+"-pull-secret", ".dockerconfigjson",
			`{"auths":{"quay.io":{"auth":"`+pullMark+`"}}}`), secret(env, "front-"+env+"-etcd-encryption-key", "key", keyMark))
	}
}

func secret(namespace, name, key, content string) object {
	return object{"apiVersion": "v1", "kind": "Secret", "metadata": object{"namespace": namespace, "name": name},
		"stringData": object{key: content}}
}

// tokens: Argo CD has a bound token and not the administrator's certificate, and a second run changes nothing.
func (s *story) tokens() {
	s.t.Helper()
	u, err := s.hub.get(s.t.Context(), secrets, namespace, "hosted-cluster-dev.front-dev")
	if err != nil {
		s.t.Fatal(err)
	}
	raw, _, _ := unstructured.NestedString(u.Object, "data", "config")
	config := credentials(s.t, raw)
	if config.BearerToken == "" || len(config.TLSClientConfig) != 1 {
		s.t.Errorf("Argo CD's credentials: %d settings", len(config.TLSClientConfig))
	}
	_, out, errs := s.hcctl("gitops", "register", "-l", "env=dev", "-n", "dev", "--yes")
	if !strings.Contains(errs, "1 unchanged") || strings.Contains(out+errs, config.BearerToken) {
		s.t.Errorf("a second registration:\n%s%s", out, errs)
	}
	if u.GetLabels()["env"] != "dev" {
		s.t.Errorf("labels: %v", u.GetLabels())
	}
}

// login is what Argo CD's Secret of a cluster has under config.
type login struct {
	BearerToken     string `json:"bearerToken"`
	TLSClientConfig object `json:"tlsClientConfig"`
}

// credentials reads it as it is in the Secret, in base64.
func credentials(t *testing.T, raw string) login {
	t.Helper()
	decoded, err := base64.StdEncoding.DecodeString(raw)
	if err != nil {
		t.Fatal(err)
	}
	var l login
	if err := json.Unmarshal(decoded, &l); err != nil {
		t.Fatal(err)
	}
	return l
}

// virtualization: the hook in the hosted cluster, hcctl with the rights of its account, approves the one version. The
// HyperConverged, whose kind comes with that version, comes after it.
func (s *story) virtualization(env string, guest *cluster) {
	s.t.Helper()
	const cnv, name = "openshift-cnv", "kubevirt-hyperconverged"
	guest.until(subscriptions, cnv, name, version, "spec", "startingCSV")
	guest.until(jobs, cnv, "installplan-approver", "1", "status", "succeeded")
	approved := guest.value(installPlans, cnv, "install-4.20.1", "spec", "approved")
	newer := guest.value(installPlans, cnv, "install-newer", "spec", "approved")
	if approved != "true" || newer != "false" {
		s.t.Errorf("%s: the pinned version is approved: %s, a newer one: %s", env, approved, newer)
	}
	guest.until(hyperConverged, cnv, name, name, "metadata", "name")
	ended := guest.value(jobs, cnv, "installplan-approver", "status", "completionTime")
	if began := guest.value(hyperConverged, cnv, name, "metadata", "creationTimestamp"); began < ended {
		s.t.Errorf("%s: HyperConverged is from %s, before the approval of its operator at %s", env, began, ended)
	}
	s.hub.until(applications, namespace, s.application("virtualization", env), "Healthy", "status", "health", "status")
}

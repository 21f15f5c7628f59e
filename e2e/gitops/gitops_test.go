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
	definitions    = kind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}

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

// TestGitOps is the way from a fleet file to virtual machines in hosted clusters: Argo CD's own
// controllers and repository server, on the management cluster's and the hosted clusters' real API servers. OpenShift
// GitOps' operator, and the operators inside of hosted clusters, are played here, by the words of their kinds.
func TestGitOps(t *testing.T) {
	if os.Getenv("HCCTL_E2E_GITOPS") == "" {
		t.Skip("make test-gitops runs it: it needs the programs that make sandbox-gitops builds")
	}
	p := sandbox.Start(t, "--profile", "ready", "--speed", "20", "--lean", "--guests", "2", "--openapi=true")
	data, err := os.ReadFile(p.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	s := &story{t: t, hub: connect(t, config(t, data)), kubeconfig: p.Kubeconfig, repository: t.TempDir()}
	s.init()
	argo(t, p.Kubeconfig)

	// The hosted clusters come from Git, after the hook with hcctl check has passed.
	for _, env := range []string{"dev", "prod"} {
		s.hub.until(nodePools, env, "front-"+env, "front-"+env, "spec", "clusterName")
		s.must("wait", "cluster", "front-"+env, "-n", env, "--for", "api", "--timeout", "5m")
	}
	guests := map[string]*cluster{}
	for _, env := range []string{"dev", "prod"} {
		guests[env] = connect(t, config(t, []byte(s.must("kubeconfig", "front-"+env, "-n", env))))
		s.kinds(guests[env])
		s.must("gitops", "register", "front-"+env, "-n", env, "--yes")
	}
	s.tokens()

	// Virtualization: nothing is installed before the one version is approved, and then in order.
	for env, guest := range guests {
		s.virtualization(env, guest)
	}
	// The demo VM is there, stopped.
	for env, guest := range guests {
		guest.until(machines, "demo", "demo", "Halted", "spec", "runStrategy")
		guest.status(machines, "demo", "demo", object{"printableStatus": "Stopped", "conditions": []any{object{"type": "Ready",
			"status": "False", "reason": "VMINotExists"}}})
		s.hub.until(applications, namespace, "demo-vm-"+env+".front-"+env, "Suspended", "status", "health", "status")
		s.hub.until(applications, namespace, "hosted-clusters-"+env, "Synced", "status", "sync", "status")
	}
	for _, env := range []string{"dev", "prod"} {
		s.hub.until(applications, namespace, "hosted-clusters-"+env, "Healthy", "status", "health", "status")
		s.hub.until(applications, namespace, "hosted-clusters-"+env, "Succeeded", "status", "operationState", "phase")
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

// init makes the repository, and is the administrator who applies argocd/ once, and makes the Secrets.
func (s *story) init() {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "fleet.yaml")
	if err := os.WriteFile(file, []byte(fleet), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.must("gitops", "init", s.repository, "-f", file, "--repo-url", "file://"+s.repository, "--image", "registry.example/hcctl:1",
		"--virtualization-csv", version, "--clusters-from", "labels")
	s.git("init", "-q", "-b", "main", ".")
	s.git("add", "-A")
	s.git("commit", "-qm", "Begin")
	crds, err := filepath.Glob(filepath.Join(filepath.Dir(program(s.t, "HCCTL_SANDBOX_BIN")), "sandbox-libexec", "argocd-crds", "*-crd.yaml"))
	if err != nil || len(crds) != 3 {
		s.t.Fatalf("%v, %v: make sandbox-gitops copies them", crds, err)
	}
	for _, crd := range crds {
		s.hub.apply(documents(s.t, crd)...)
	}
	s.hub.apply(object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": namespace}})
	// OpenShift GitOps' operator puts the health checks of the ArgoCD resource into this config map, under these keys.
	settings := object{"timeout.reconciliation": "5s", "timeout.reconciliation.jitter": "0s"}
	instance := documents(s.t, filepath.Join(s.repository, "argocd", "argocd.yaml"))[0]
	checks, _, _ := unstructured.NestedSlice(instance, "spec", "resourceHealthChecks")
	for _, c := range checks {
		check := c.(object)
		settings["resource.customizations.health."+check["group"].(string)+"_"+check["kind"].(string)] = check["check"]
	}
	part := object{"app.kubernetes.io/part-of": "argocd"}
	s.hub.apply(
		object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": "argocd-cm", "namespace": namespace, "labels": part},
			"data": settings},
		object{"apiVersion": "v1", "kind": "Secret", "metadata": object{"name": "argocd-secret", "namespace": namespace,
			"labels": part}, "stringData": object{"server.secretkey": "of a test"}})
	for _, name := range []string{"hook-accounts", "projects", "controller-role", "hosted-clusters", "virtualization", "demo-vm"} {
		s.hub.apply(documents(s.t, filepath.Join(s.repository, "argocd", name+".yaml"))...)
	}
	for _, env := range []string{"dev", "prod"} {
		s.hub.apply(secret(env, "front-"+env+"-pull-secret", ".dockerconfigjson", `{"auths":{"quay.io":{"auth":"`+pullMark+`"}}}`),
			secret(env, "front-"+env+"-etcd-encryption-key", "key", keyMark))
	}
}

func secret(namespace, name, key, content string) object {
	return object{"apiVersion": "v1", "kind": "Secret", "metadata": object{"namespace": namespace, "name": name},
		"stringData": object{key: content}}
}

// kinds gives a hosted cluster the kinds of the operators that it would have: those of the management cluster.
func (s *story) kinds(guest *cluster) {
	s.t.Helper()
	for _, name := range []string{"subscriptions.operators.coreos.com", "operatorgroups.operators.coreos.com",
		"installplans.operators.coreos.com", "hyperconvergeds.hco.kubevirt.io", "virtualmachines.kubevirt.io"} {
		u, err := s.hub.get(s.t.Context(), definitions, "", name)
		if err != nil {
			s.t.Fatal(err)
		}
		spec, _, _ := unstructured.NestedMap(u.Object, "spec")
		delete(spec, "conversion")
		guest.apply(object{"apiVersion": "apiextensions.k8s.io/v1", "kind": definitions.Kind, "metadata": object{"name": name},
			"spec": spec})
	}
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

// virtualization plays the Lifecycle Manager and the operator in a hosted cluster, and hcctl approves as the hook's
// account.
func (s *story) virtualization(env string, guest *cluster) {
	s.t.Helper()
	const cnv, name = "openshift-cnv", "kubevirt-hyperconverged"
	guest.until(subscriptions, cnv, name, version, "spec", "startingCSV")
	if _, err := guest.get(s.t.Context(), hyperConverged, cnv, name); err == nil {
		s.t.Error("the HyperConverged is there before its operator")
	}
	for plan, csv := range map[string]string{"install-pinned": version, "install-newer": "kubevirt-hyperconverged-operator.v4.20.2"} {
		guest.apply(object{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "InstallPlan",
			"metadata": object{"namespace": cnv, "name": plan}, "spec": object{"approval": "Manual", "approved": false,
				"clusterServiceVersionNames": []any{csv}}})
		guest.status(installPlans, cnv, plan, object{"phase": "RequiresApproval", "catalogSources": []any{}, "plan": []any{}})
	}
	kubeconfig := filepath.Join(s.t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, []byte(s.must("kubeconfig", "front-"+env, "-n", env)), 0o600); err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command(program(s.t, "HCCTL_BIN"), "gitops", "approve", version, "--subscription", name, "--namespace", cnv,
		"--as", "system:serviceaccount:"+cnv+":installplan-approver", "--yes", "--timeout", "3m")
	var log bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), "KUBECONFIG="+kubeconfig, "HOME="+s.t.TempDir()), &log, &log
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	guest.until(installPlans, cnv, "install-pinned", "true", "spec", "approved")
	guest.status(subscriptions, cnv, name, object{"installedCSV": version, "state": "UpgradePending",
		"lastUpdated": "2026-01-01T00:00:00Z"})
	if err := cmd.Wait(); err != nil {
		s.t.Fatalf("hcctl gitops approve: %v\n%s", err, log.String())
	}
	if got := guest.value(installPlans, cnv, "install-newer", "spec", "approved"); got != "false" {
		s.t.Errorf("a version that is not pinned was approved: %s", got)
	}
	// No container runs in a hosted cluster here: the Job of the hook ends as its command did.
	const at = "2026-01-01T00:00:00Z"
	guest.status(jobs, cnv, "installplan-approver", object{"startTime": at, "completionTime": at, "succeeded": 1,
		"conditions": []any{condition("SuccessCriteriaMet", "True"), condition("Complete", "True")}})
	guest.until(hyperConverged, cnv, name, name, "metadata", "name")
	guest.status(hyperConverged, cnv, name, object{"conditions": []any{condition("ReconcileComplete", "True"),
		condition("Available", "True"), condition("Progressing", "False"), condition("Degraded", "False")}})
	s.hub.until(applications, namespace, "virtualization-"+env+".front-"+env, "Healthy", "status", "health", "status")
}

func condition(kind, status string) object {
	return object{"type": kind, "status": status, "reason": "AsExpected", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}
}

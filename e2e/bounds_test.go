package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// maxResident is the most memory that hcctl may take, in bytes, whatever servers send.
const maxResident = 300 << 20

const boundsNamespace = "team-bounds"

// TestBounds replaces the API server of a hosted cluster by a tenant's server that sends more data than fits into
// memory, and adds large namespaces to a management cluster. Every command that reads either must end in time, with
// little memory, and report the problem.
func TestBounds(t *testing.T) {
	t.Parallel()
	s := settingsFor(t)
	if s.kubeconfig != "" {
		t.Skip(realKubeconfig + " is set: attacks are for sandboxes")
	}
	st := newStage(t, s, s.hosting("ready", 1)...)
	st.giveOut(metalLBPool, (&harness{settings: s}).addresses())
	b := &bounded{stage: st}
	b.victim()
	const sent = `the API server of hosted cluster team-bounds/victim sent more than`
	for _, attack := range []struct {
		name   string
		answer http.HandlerFunc
		// said is in what status says.
		said string
	}{
		{"endless", endless, sent + " 4 MiB for a list of nodes"},
		{"bomb", bombOf(t), sent + " 4 MiB for a list of nodes"},
		{"tiny", believable(tiny), "sent what takes more than 16 MiB of memory for a list of nodes"},
		// Either the size limit or the five seconds apply.
		{"pages", believable(everMore), "? nodes: the hosted API server could not be asked: "},
		{"drip", drip, "? nodes: the hosted API server could not be asked: "},
	} {
		t.Run(attack.name, func(t *testing.T) {
			server := newHostileServer(t, attack.answer)
			b.leadTo(server)
			if told := b.runs(t, time.Minute, "status", "victim"); !strings.Contains(told.out, attack.said) || told.code == 0 {
				t.Errorf("status ends with %d and says\n%s", told.code, told.out)
			}
			told := b.runs(t, 20*time.Second, "password", "victim", "-o", "json")
			if told.code != 0 || !strings.Contains(told.out, `"password"`) {
				t.Errorf("password ends with %d and says\n%s", told.code, told.out)
			}
			dump := []string{"dump", "victim", "--output-file", attack.name + ".tar.gz"}
			wantDump := 3
			if attack.name == "pages" { // all of it would take the two minutes that dump gives a hosted cluster
				dump, wantDump = append(dump, "--timeout", "8s"), 4
			}
			if told := b.runs(t, time.Minute, dump...); told.code != wantDump || !strings.Contains(told.out, "the dump") {
				t.Errorf("dump ends with %d and says\n%s", told.code, told.out)
			}
			b.runs(t, 20*time.Second, "kubeconfig", "victim", "--wait", "--timeout", "2s")
			b.runs(t, 20*time.Second, "wait", "cluster", "victim", "--timeout", "2s")
			b.runs(t, 20*time.Second, "get", "clusters", "-o", "json")
			b.runs(t, 20*time.Second, "exec", "victim", "--", "true")
			if server.asked.Load() == 0 {
				t.Error("the server was not asked")
			}
		})
	}
	t.Run("large namespaces", func(t *testing.T) {
		b.largeNamespaces(t)
		for _, c := range []struct {
			code int
			args []string
		}{
			{0, []string{"check"}},
			{0, []string{"dump", "victim", "--output-file", "namespaces.tar.gz", "--dump-guest-cluster=false"}},
			{6, []string{"delete", "cluster", "victim", "--dry-run"}},
			{0, []string{"resume", "cluster", "victim", "--yes"}},
			{0, []string{"delete", "cluster", "victim", "--yes"}},
			{0, []string{"uninstall", "--include-storage", "--dry-run"}},
		} {
			if told := b.runs(t, 3*time.Minute, c.args...); told.code != c.code {
				t.Errorf("%v ends with %d, want %d, and says\n%s", c.args, told.code, c.code, tail(told.out, 20))
			}
		}
	})
}

// bounded is a hosted cluster whose kubeconfig leads elsewhere.
type bounded struct {
	*stage
}

// victim makes the hosted cluster, and has its operator leave it alone.
func (b *bounded) victim() {
	t := b.t
	t.Helper()
	metadata := map[string]any{"name": boundsNamespace}
	if err := b.create(map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}); err != nil {
		t.Fatal(err)
	}
	create := []string{"create", "cluster", "--name", "victim", "--node-pool-replicas", "0", "--wait", "none", "--yes"}
	if told := b.runs(t, time.Minute, create...); told.code != 0 {
		t.Fatalf("create says\n%s", told.out)
	}
	// It may be available a moment before its kubeconfig is published.
	if told := b.runs(t, 2*time.Minute, "kubeconfig", "victim", "--wait"); told.code != 0 {
		t.Fatalf("kubeconfig --wait says\n%s", told.out)
	}
	if told := b.runs(t, time.Minute, "pause", "cluster", "victim", "--yes"); told.code != 0 {
		t.Fatalf("pause says\n%s", told.out)
	}
	b.password()
}

// password publishes one, as the operator does later.
func (b *bounded) password() {
	b.t.Helper()
	err := b.create(map[string]any{
		"apiVersion": "v1", "kind": "Secret",
		"metadata":   map[string]any{"namespace": boundsNamespace, "name": "victim-kubeadmin-password"},
		"stringData": map[string]any{"password": "aaaaa-bbbbb-ccccc-ddddd"},
	})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		b.t.Fatal(err)
	}
	clusters, err := b.admin.resource("hostedclusters.hypershift.openshift.io", boundsNamespace)
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := requestContext()
	defer cancel()
	patch := []byte(`{"status":{"kubeadminPassword":{"name":"victim-kubeadmin-password"}}}`)
	if _, err := clusters.Patch(ctx, "victim", types.MergePatchType, patch, metav1.PatchOptions{}, "status"); err != nil {
		b.t.Fatal(err)
	}
}

// leadTo has the kubeconfig of the hosted cluster lead to a server.
func (b *bounded) leadTo(server *hostileServer) {
	b.t.Helper()
	secrets, err := b.admin.resource("secrets", boundsNamespace)
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := requestContext()
	defer cancel()
	patch := fmt.Appendf(nil, `{"data":null,"stringData":{"kubeconfig":%q}}`, server.kubeconfig())
	_, err = secrets.Patch(ctx, "victim-admin-kubeconfig", types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
}

// largeNamespaces makes 150 namespaces with as many annotations as there may be: 30 MB in all.
func (b *bounded) largeNamespaces(t *testing.T) {
	t.Helper()
	namespaces, err := b.admin.resource("namespaces", "")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("0123456789", 20_000)
	errs := make([]error, 150)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			ctx, cancel := requestContext()
			defer cancel()
			ns := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
			ns.SetName(fmt.Sprintf("large-%03d", i))
			ns.SetAnnotations(map[string]string{"example.com/large": text})
			_, errs[i] = namespaces.Create(ctx, ns, metav1.CreateOptions{})
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// told is how a command ended.
type told struct {
	out  string
	code int
}

// runs runs hcctl as the administrator, within the time and the memory there is.
func (b *bounded) runs(t *testing.T, limit time.Duration, args ...string) told {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), b.hcctl, append(args, "--namespace", boundsNamespace)...)
	if args[0] == "exec" {
		cmd = exec.CommandContext(t.Context(), b.hcctl, append([]string{"--namespace", boundsNamespace}, args...)...)
	}
	cmd.Dir = b.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "KUBECONFIG=" + b.sandbox.Kubeconfig, "HOME=" + b.dir, "TMPDIR=" + b.dir, "NO_COLOR=1",
	}
	begin := time.Now()
	out, err := cmd.CombinedOutput()
	code, err := exitCode(err)
	if err != nil {
		t.Fatalf("hcctl %v: %v\n%s", args, err, tail(string(out), 20))
	}
	took := time.Since(begin)
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		t.Fatal("the system does not tell how much memory a process took")
	}
	t.Logf("hcctl %s: exit code %d, %d MiB, %s", strings.Join(args, " "), code, usage.Maxrss>>10, took)
	if usage.Maxrss<<10 > maxResident {
		t.Errorf("hcctl %s took %d MiB of memory", strings.Join(args, " "), usage.Maxrss>>10)
	}
	if took > limit {
		t.Errorf("hcctl %s took %s", strings.Join(args, " "), took)
	}
	return told{string(out), code}
}

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/hcctl/hcctl/internal/audit"
	"github.com/hcctl/hcctl/internal/sandbox"
)

// peopleNamespace has the service accounts that commands run as.
const peopleNamespace = "people"

// stage is a sandbox on which people act who have nothing but what hcctl rbac prints.
type stage struct {
	t       *testing.T
	hcctl   string
	dir     string
	admin   *cluster
	sandbox *sandbox.Process
	log     *audit.Log
	people  []*person
}

// person is a user, with the rules of the roles that were printed for them.
type person struct {
	stage *stage
	name  string
	// purpose is what their roles are for.
	purpose    string
	kubeconfig string
	rules      []rule
	// warned is what hcctl rbac wrote to stderr; policed is whether it printed an admission policy.
	warned  string
	policed bool
}

// rule is a rule of a role as hcctl rbac printed it.
type rule struct {
	APIGroups     []string `json:"apiGroups"`
	Resources     []string `json:"resources"`
	ResourceNames []string `json:"resourceNames"`
	Verbs         []string `json:"verbs"`
	// namespace is that of the Role; empty for a ClusterRole.
	namespace string
}

// newStage starts a sandbox that writes down every request.
func newStage(t *testing.T, s settings, flags ...string) *stage {
	t.Helper()
	st := &stage{t: t, hcctl: s.hcctl, dir: t.TempDir()}
	st.sandbox = sandbox.Start(
		t,
		append([]string{"--speed", "50", "--audit"}, flags...)...)
	var err error
	if st.admin, err = connect(st.sandbox.Kubeconfig); err != nil {
		t.Fatal(err)
	}
	if st.log, err = audit.Open(st.sandbox.Audit()); err != nil {
		t.Fatal(err)
	}
	people := map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": peopleNamespace}}
	if err := st.create(people); err != nil {
		t.Fatal(err)
	}
	return st
}

// create makes an object, which has to be valid strictly.
func (st *stage) create(object map[string]any) error {
	u := &unstructured.Unstructured{Object: object}
	plural, _ := meta.UnsafeGuessKindToResource(u.GroupVersionKind())
	ctx, cancel := requestContext()
	defer cancel()
	_, err := st.admin.dynamic.Resource(plural).
		Namespace(u.GetNamespace()).
		Create(ctx, u, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	if err != nil {
		return fmt.Errorf("create %s %s: %w", u.GetKind(), u.GetName(), err)
	}
	return nil
}

// person makes a user who may do what hcctl rbac prints with these arguments, and nothing else.
func (st *stage) person(name, purpose string, args ...string) *person {
	st.t.Helper()
	p, err := st.newPerson(name, purpose, args...)
	if err != nil {
		st.t.Fatal(err)
	}
	st.people = append(st.people, p)
	return p
}

// newPerson is person for callers that are not the test itself.
func (st *stage) newPerson(name, purpose string, args ...string) (*person, error) {
	args = append([]string{"--for", purpose}, args...)
	p := &person{stage: st, name: name, purpose: purpose, kubeconfig: filepath.Join(st.dir, name+".kubeconfig")}
	err := st.create(
		map[string]any{
			"apiVersion": "v1", "kind": "ServiceAccount",
			"metadata": map[string]any{"name": name, "namespace": peopleNamespace},
		},
	)
	if err != nil {
		return nil, err
	}
	to := []string{"rbac", "--serviceaccount", peopleNamespace + ":" + name, "-o", "json"}
	out, err := p.printRoles(append(to, args...)...)
	if err != nil {
		return nil, err
	}
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(out, &list); err != nil {
		return nil, fmt.Errorf("hcctl rbac %v: %w", args, err)
	}
	for _, item := range list.Items {
		var role struct {
			Metadata metav1.ObjectMeta `json:"metadata"`
			Rules    []rule            `json:"rules"`
		}
		var object map[string]any
		if err := errors.Join(json.Unmarshal(item, &role), json.Unmarshal(item, &object)); err != nil {
			return nil, err
		}
		if err := st.create(object); role.Metadata.Namespace != "" && apierrors.IsNotFound(err) {
			continue // as oc apply does: a Role for what this cluster does not have
		} else if err != nil && (object["kind"] != "Namespace" || !apierrors.IsAlreadyExists(err)) {
			return nil, err
		}
		p.policed = p.policed || object["kind"] == "ValidatingAdmissionPolicy"
		for i := range role.Rules {
			role.Rules[i].namespace = role.Metadata.Namespace
		}
		p.rules = append(p.rules, role.Rules...)
	}
	return p, p.writeKubeconfig()
}

// printRoles runs hcctl rbac as the administrator, who may look for what names mean, and keeps its warnings.
func (p *person) printRoles(args ...string) ([]byte, error) {
	var warned bytes.Buffer
	cmd := exec.Command(p.stage.hcctl, args...) //nolint:noctx // it has a timeout of its own
	cmd.Stderr = &warned
	cmd.Env = append(os.Environ(), "KUBECONFIG="+p.stage.sandbox.Kubeconfig)
	out, err := cmd.Output()
	p.warned = warned.String()
	if err != nil {
		return nil, fmt.Errorf("hcctl %v: %w: %s", args, err, p.warned)
	}
	return out, nil
}

// writeKubeconfig writes the administrator's kubeconfig with a token of the user's own instead.
func (p *person) writeKubeconfig() error {
	ctx, cancel := requestContext()
	defer cancel()
	request := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
		"metadata": map[string]any{"name": p.name}, "spec": map[string]any{"expirationSeconds": int64(7200)},
	}}
	accounts := p.stage.admin.dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}).
		Namespace(peopleNamespace)
	answer, err := accounts.Create(ctx, request, metav1.CreateOptions{}, "token")
	if err != nil {
		return fmt.Errorf("token of %s: %w", p.name, err)
	}
	token, _, _ := unstructured.NestedString(answer.Object, "status", "token")
	cfg, err := clientcmd.LoadFromFile(p.stage.sandbox.Kubeconfig)
	if err != nil {
		return err
	}
	for name := range cfg.AuthInfos {
		cfg.AuthInfos[name] = &api.AuthInfo{Token: token}
	}
	return clientcmd.WriteToFile(*cfg, p.kubeconfig)
}

// runs has the user run hcctl, which has to end with that exit code, and returns what it wrote to stdout and stderr.
func (p *person) runs(want int, args ...string) string {
	p.stage.t.Helper()
	return p.types("", want, args...)
}

// types is runs with something typed.
func (p *person) types(input string, want int, args ...string) string {
	p.stage.t.Helper()
	begin := time.Now()
	cmd := exec.CommandContext(p.stage.t.Context(), p.stage.hcctl, args...)
	cmd.Stdin = strings.NewReader(input)
	cmd.Dir = p.stage.dir
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "HCCTL_") }),
		"KUBECONFIG="+p.kubeconfig, "HOME="+p.stage.dir, "NO_COLOR=1")
	out, err := cmd.CombinedOutput()
	got, err := exitCode(err)
	if err != nil {
		p.stage.t.Fatalf("%s: hcctl %v: %v", p.name, args, err)
	}
	if got != want {
		p.stage.t.Errorf(
			"%s: hcctl %s: exit code %d, want %d\n%s", p.name, strings.Join(args, " "), got, want, tail(string(out), 40),
		)
	}
	p.stage.t.Logf("%s: hcctl %s: %s", p.name, strings.Join(args, " "), time.Since(begin).Round(time.Millisecond))
	return string(out)
}

// tail is the last lines of a text.
func tail(text string, lines int) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// user is the user's name for the API server.
func (p *person) user() string {
	return fmt.Sprintf("system:serviceaccount:%s:%s", peopleNamespace, p.name)
}

// path is that of a file in the directory in which people run hcctl.
func (st *stage) path(name string) string { return filepath.Join(st.dir, name) }

func (st *stage) write(name, content string) {
	st.t.Helper()
	if err := os.WriteFile(st.path(name), []byte(content), 0o600); err != nil {
		st.t.Fatal(err)
	}
}

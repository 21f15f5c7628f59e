package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/golden"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// badInputs are files with rows of wrong input, by what they need: each has the command line, then its exit code and
// what is on stderr. make update writes these anew.
var badInputs = []string{"words", "values", "files", "server"}

// fewestBadInputs is how many rows the tables have at least: 586 when it was last counted.
const fewestBadInputs = 586

// badInputSecret is in files of the rows and in no message.
const badInputSecret = "hunter2"

// rawErrors are words of Go's own errors, which help nobody who does not know Go.
var rawErrors = []string{"strconv.", "json: cannot", "json: unknown", "yaml: line", "unmarshal", "invalid argument ", "time: ",
	"unknown reason",
	"%!", "<nil>", "struct {"}

// badInput is one row of a table.
type badInput struct {
	line string
	want string
}

// readBadInputs reads a table. Its comments begin with "# ", its command lines with "$ ".
func readBadInputs(t *testing.T, path string) []badInput {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows []badInput
	for _, line := range strings.Split(string(data), "\n") {
		switch {
		case strings.HasPrefix(line, "# "), line == "":
		case strings.HasPrefix(line, "$ hcctl "):
			rows = append(rows, badInput{line: line})
		case len(rows) == 0:
			t.Fatalf("%s: %q is below no command", path, line)
		default:
			rows[len(rows)-1].want += line + "\n"
		}
	}
	return rows
}

// TestBadInput holds what hcctl answers to wrong input: the message, its hint and the exit code.
func TestBadInput(t *testing.T) {
	tables := map[string][]badInput{}
	total := 0
	for _, name := range badInputs {
		tables[name] = readBadInputs(t, filepath.Join("testdata", "bad_input", name+".txt"))
		total += len(tables[name])
	}
	if total < fewestBadInputs {
		t.Errorf("%d rows, want at least %d", total, fewestBadInputs)
	}
	directory, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	server, plain := badInputServer(t)
	t.Chdir(badInputFiles(t))
	tried := map[string]bool{}
	for _, name := range badInputs {
		var out strings.Builder
		for _, row := range tables[name] {
			line := strings.NewReplacer("$SERVER", server, "$PLAIN", plain).Replace(row.line)
			args := words(strings.TrimPrefix(line, "$ hcctl "))
			code, stdout, stderr := runBriefly(t, args...)
			if stdout != "" {
				t.Errorf("%s: prints to stdout:\n%.300s", row.line, stdout)
			}
			stderr = strings.NewReplacer(server, "$SERVER", plain, "$PLAIN", os.Getenv("KUBECONFIG"),
				"$KUBECONFIG").Replace(stderr)
			checkBadInput(t, row.line, code, stderr)
			fmt.Fprintf(&out, "%s\nexit %d\n%s\n", row.line, code, stderr)
			if found, _, err := newRoot(badInputFactory()).Find(args); err == nil {
				tried[found.CommandPath()] = true
			}
		}
		golden.File(t, filepath.Join(directory, "testdata", "bad_input", name+".txt"), out.String())
	}
	each(newRoot(badInputFactory()), func(cmd *cobra.Command) {
		if cmd.Runnable() && !cmd.Hidden && cmd.Name() != "environment" && !tried[cmd.CommandPath()] {
			t.Errorf("no row calls %s", cmd.CommandPath())
		}
	})
}

// runBriefly is run for a command that must not wait: it is interrupted after a while.
func runBriefly(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	t.Setenv("HOME", t.TempDir())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	code = Main(ctx, args, cmdutil.Streams{In: strings.NewReader(""), Out: &out, Err: &errs},
		func(string) string { return "" })
	if ctx.Err() != nil {
		t.Errorf("hcctl %s: waits:\n%s", strings.Join(args, " "), errs.String())
	}
	return code, out.String(), errs.String()
}

// checkBadInput holds what every row has to do: fail, with one error at a time, in words.
func checkBadInput(t *testing.T, line string, code int, stderr string) {
	t.Helper()
	if code == cmdutil.ExitDone || !strings.Contains(stderr, "Error: ") {
		t.Errorf("%s: exit %d, no error:\n%s", line, code, stderr)
	}
	for _, raw := range rawErrors {
		if strings.Contains(stderr, raw) {
			t.Errorf("%s: %q is Go's word:\n%s", line, raw, stderr)
		}
	}
	if strings.Contains(stderr, badInputSecret) {
		t.Errorf("%s: shows a secret:\n%s", line, stderr)
	}
	if !strings.Contains(stderr, "  → ") {
		t.Errorf("%s: nothing says what to do:\n%s", line, stderr)
	}
}

func badInputFactory() *cmdutil.Factory {
	return cmdutil.NewFactory(cmdutil.Streams{}, nil)
}

// each calls f with every command of the tree.
func each(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, sub := range cmd.Commands() {
		each(sub, f)
	}
}

// words splits a line at spaces; single quotes hold a word together.
func words(line string) []string {
	var out []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}

// badInputFiles makes a directory with the files that the rows name.
func badInputFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	const cluster = "apiVersion: hcctl.dev/v1alpha1\nkind: Cluster\n"
	for name, content := range map[string]string{
		"empty": "", "text": "hello\nworld\n", "space": " \n", "noauth.json": `{"auths":{}}`, "list.json": `{"auths":[]}`,
		"broken.json": `{"auths":{"quay.io":{` + badInputSecret, "auth.json": `{"auths":{"quay.io":{}}}`,
		"base64.json":   `{"auths":{"quay.io":{"auth":"` + badInputSecret + `!"}}}`,
		"private.pem":   "-----BEGIN OPENSSH PRIVATE KEY-----\n-----END OPENSSH PRIVATE KEY-----\n",
		"ps.json":       `{"auths":{"quay.io":{"auth":"dXNlcjpwYXNzd29yZA=="}}}`,
		"tab.yaml":      cluster + "metadata:\n\tname: x\n",
		"at.yaml":       "apiVersion: @x\n",
		"open.yaml":     "apiVersion: [\n",
		"field.yaml":    cluster + "metadata:\n  name: x\nspec:\n  memry: 8Gi\n",
		"number.yaml":   cluster + "metadata:\n  name: x\nspec:\n  nodePools:\n  - replicas: two\n",
		"twice.yaml":    cluster + "metadata:\n  name: x\n---\n" + cluster + "metadata:\n  name: x\n",
		"noname.yaml":   cluster + "spec: {}\n",
		"kind.yaml":     "apiVersion: hcctl.dev/v1alpha1\nkind: Klaster\n",
		"version.yaml":  "apiVersion: hcctl.dev/v2\nkind: Cluster\n",
		"pod.yaml":      "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n",
		"settings.yaml": "apiVersion: hcctl.dev/v1alpha1\nkind: Bootstrap\nstorage:\n  mode: ceph\n",
		"list.yaml":     "- a\n",
		"context.yaml":  "apiVersion: v1\nkind: Config\ncurrent-context: gone\n",
		"binary":        "\x00\x01\x02",
		"there.yaml":    cluster + "metadata: {name: x}\n",
		"patch.json":    "{}",
		"affinity.yaml": "podAfinity: {}\n",
		"config.yaml":   "kind: ConfigMap\napiVersion: v1\n",
		"fleet.yaml":    "apiVersion: hcctl.dev/v1alpha1\nkind: Fleet\nspec: {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "directory"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// badInputServer is an API server with one hosted cluster, kv-00, and the address at which a server that speaks https
// refuses plain http.
func badInputServer(t *testing.T) (with, plain string) {
	t.Helper()
	hc, np := hosted("clusters", "kv-00", "1", available("True", "")), object{
		"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "NodePool",
		"metadata": object{"namespace": "clusters", "name": "kv-00", "uid": "p", "resourceVersion": "1"},
		"spec": object{"clusterName": "kv-00", "replicas": 2, "platform": object{"type": "KubeVirt", "kubevirt": object{
			"compute": object{"memory": "8Gi", "cores": 2}}}},
		"status": object{"replicas": 2, "conditions": []any{object{"type": "Ready", "status": "True"}}},
	}
	answers := map[string]any{
		clustersPath: listOf("HostedCluster", hc), clustersPath + "/kv-00": hc,
		everyPath: listOf("HostedCluster", hc), poolsPath: listOf("NodePool", np), poolsPath + "/kv-00": np,
		"/apis/hypershift.openshift.io/v1beta1/nodepools": listOf("NodePool", np),
		"/apis/hive.openshift.io/v1/clusterimagesets": object{"apiVersion": "hive.openshift.io/v1",
			"kind": "ClusterImageSetList", "metadata": object{}, "items": []any{}},
		"/version": object{"gitVersion": "v1.33.5"},
	}
	for path := range answers {
		if strings.HasSuffix(path, "s") {
			answers[path+"/none"] = 404
		}
	}
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	tls.Config.ErrorLog = nil
	t.Cleanup(tls.Close)
	return serverOf(t, answers), strings.Replace(tls.URL, "https://", "http://", 1)
}

// serverOf is server, whose answer to what it does not have is a Status.
func serverOf(t *testing.T, answers map[string]any) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := answers[r.URL.Path]
		code, isCode := answer.(int)
		if !ok {
			code = http.StatusNotFound
		}
		if isCode || !ok {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			answer = object{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": "NotFound",
				"message": "not found", "details": object{"name": "x"}}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestTheInputsOfTheTrial: a trial found twenty wrong inputs whose message nobody could act on. Each is a row of the
// tables, or of the script preflight, which has a whole management cluster. Its message names what is wrong and what
// to do.
func TestTheInputsOfTheTrial(t *testing.T) {
	rows := map[string]string{}
	for _, name := range badInputs {
		for _, row := range readBadInputs(t, filepath.Join("testdata", "bad_input", name+".txt")) {
			rows[row.line] = row.want
		}
	}
	for line, want := range map[string][]string{
		"stop kv-00":                                  {"exit 2", "hcctl stop needs --yes here"},
		"stop kv-00 --yes -n team":                    {"exit 1", "no cluster to talk to"},
		"scale kv-00 --replicas 3":                    {"exit 1", "no cluster to talk to"},
		"create kv-00":                                {"exit 2", "hcctl create cluster --name kv-00\n"},
		"get kv-00":                                   {"exit 2", "hcctl get clusters kv-00\n"},
		"create kubeconfig":                           {"exit 2", "hcctl kubeconfig NAME\n"},
		"create kubeconfig kv-00":                     {"exit 2", "hcctl kubeconfig kv-00\n"},
		"create clutser --name x":                     {"exit 2", `unknown command "clutser"`, "did you mean cluster?"},
		"scale a --replicas two":                      {"exit 2", `--replicas "two": give a whole number`},
		"scale a --replicas 1e3":                      {"exit 2", `--replicas "1e3": give a whole number`},
		"create cluster --name x --timeout 30":        {"exit 2", `--timeout "30": give a time with its unit`},
		"create cluster -f tab.yaml":                  {"exit 2", "tab.yaml:4", "indented with a tab"},
		"status --kubeconfig text":                    {"exit 1", "kubeconfig text: not a kubeconfig", "give another"},
		"get clusters --server $PLAIN":                {"exit 1", "it refuses plain http", "write https:// in front"},
		"get cluster/ci-1":                            {"exit 2", "as two words", "hcctl get clusters ci-1"},
		"get clusters -n 'Bad NS'":                    {"exit 2", `--namespace "Bad NS"`, "lower case letters"},
		"create cluster --name x --pull-secret empty": {"exit 2", "--pull-secret: the file empty is empty"},
		"create cluster --name x --cluster-cidr 172.31.0.0/16": {"exit 2", `--cluster-cidr "172.31.0.0/16"`,
			"the network of the Services"},
		"create cluster --replicas":                   {"exit 2", "did you mean --node-pool-replicas?"},
		"get pods":                                    {"exit 2", `unknown command "pods"`, "use clusters, "},
		"delete cluster a b":                          {"exit 2", "needs --yes here", "--dry-run"}, // it deletes both now
		"update cluster x --memory":                   {"exit 2", "it belongs to a node pool", "hcctl update nodepool POOL --memory"},
		"get nodepools --server $SERVER --cluster kv": {"exit 1", `cluster "kv" does not exist`, "--cluster-name kv"},
		"wait cluster kv-00 --for condition=Av" + "ilable --server $SERVER --timeout 5s": {"exit 2",
			`--for "condition=Av` + `ilable"`, "did you mean Available?"},
		"scale a --replicas 99999999999999999999": {"exit 2", "the number is too large"},
	} {
		got, is := rows["$ hcctl "+line]
		if !is {
			t.Errorf("no row has: %s", line)
		}
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: no %q in\n%s", line, part, got)
			}
		}
	}
}

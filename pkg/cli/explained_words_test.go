package cli

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	wordusage "github.com/hcctl/hcctl/contracts/usage"
	"github.com/hcctl/hcctl/pkg/cli/docs"
)

var (
	// camelWord is what looks like a condition, a reason or a status. stepID is what looks like the ID of a step.
	camelWord = regexp.MustCompile(`[A-Z][a-z]+(?:[A-Z][a-z]*)+`)
	stepID    = regexp.MustCompile(`[a-z][a-z-]*[a-z]/[a-z][a-z-]*[a-z]`)
	// kindWord is the kind of an object or document, wherever a manifest, a schema or a contract names one.
	kindWord = regexp.MustCompile(`(?:[kK]ind"?[:=] *"?|"const": "|(?m:^ +")|` +
		`(?:namespaced|clusterScoped)\("[^"]*", "[^"]*", ")([A-Z][A-Za-z]+)`)
	// valueWord is a value of an option or a field, in a schema or a promise.
	valueWord = regexp.MustCompile(`=([A-Z][A-Za-z]+)\b`)
)

// noReason are words of outputs that are neither kinds nor values of options, and need no explanation.
const noReason = `
	kinds: ConfigurationPolicy DataVolume LoadBalancer
	names: AddOn AutoNode CreationFailed DeletionTimedOut SlowNodes PreSync PostSync HyperShift HyperShifts OpenShift
	names: GitOps OpenID OpenSSH SanDisk CephFS BareMetal MetalLB KubeVirt ArgoCD
	fields: AllNamespaces DoesNotExist HostNetwork InterNamespaceAllowed NodeID DeviceID NonRotational ReadOnly
	fields: ReadWriteMany ReadWriteOnce ReadWriteOncePod RollingUpdate ScheduleAnyway DoNotSchedule MatchLabels ObjectMeta
	fields: ImageRegistry NodeTuning StrictHostKeyChecking UserKnownHostsFile IdentityFile NoPrefix RunInBackground
	fields: OwnNamespace SingleNamespace InternalIP ExternalIP InternalDNS FallbackToLogsOnError
	units: GiB MiB TiB
`

// noStep are words with a slash that are no steps: the argument of a command, a sentence.
var noStep = []string{"cluster/kv", "cluster/faults"}

// outputs are the files with what hcctl prints, and with what the sandbox's faults make operators write.
func outputs(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, root := range []string{"../../pkg", "../../e2e/testdata", "../../sandbox/fault/inject/objects",
		"../../docs/output.md", "../../docs/demo.md"} {
		err := filepath.WalkDir(filepath.FromSlash(root), func(path string, d fs.DirEntry, err error) error {
			slash := filepath.ToSlash(path)
			if err != nil || d.IsDir() || strings.HasPrefix(root, "../../pkg") && (!strings.Contains(slash, "/testdata/") ||
				regexp.MustCompile(`/(fuzz|objects|options|older|released|bad_input)/|promises`).MatchString(slash)) {
				return err
			}
			if slices.Contains([]string{".txt", ".txtar", ".jsonl", ".json", ".yaml", ".md"}, filepath.Ext(path)) {
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(files) < 120 {
		t.Fatalf("only %d files of outputs", len(files))
	}
	return files
}

// whole returns the matches in a text that are not part of a longer word, a path, a key or a cut line.
func whole(pattern *regexp.Regexp, text string) []string {
	var words []string
	for _, at := range pattern.FindAllStringIndex(text, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[:at[0]])
		after, _ := utf8.DecodeRuneInString(text[at[1]:])
		if !strings.ContainsRune("+/=.-_$…@:"+`\`, before) && !strings.ContainsRune("+/=_…@*{[", after) &&
			!isLetter(before) && !isLetter(after) {
			words = append(words, text[at[0]:at[1]])
		}
	}
	return words
}

func isLetter(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// notExplained are kinds, values of options, and noReason.
func notExplained(t *testing.T, outputs []string) map[string]bool {
	t.Helper()
	words := map[string]bool{}
	for _, line := range strings.Split(noReason, "\n") {
		_, list, _ := strings.Cut(line, ": ")
		for _, word := range strings.Fields(list) {
			words[word] = true
		}
	}
	sources := slices.Clone(outputs)
	for _, pattern := range []string{"docs/schema/*.json", "contracts/*.yaml", "examples/*/*.yaml",
		"pkg/hostedcluster/o*/testdata/*/*.yaml", "pkg/cli/testdata/promises.txt", "pkg/kube/*.go"} {
		found, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		sources = append(sources, found...)
	}
	for _, path := range sources {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range kindWord.FindAllStringSubmatch(string(text), -1) {
			words[m[1]] = true
			words[m[1]+"s"], words[m[1]+"es"], words[strings.TrimSuffix(m[1], "List")] = true, true, true
		}
		if strings.HasSuffix(path, "promises.txt") {
			for _, m := range valueWord.FindAllStringSubmatch(string(text), -1) {
				words[m[1]] = true
			}
		}
	}
	return words
}

// TestEveryWordIsExplained: hcctl explain knows each condition, reason and step ID that an output of a suite has, that
// hcctl's code looks for, and that a simulated operator writes.
func TestEveryWordIsExplained(t *testing.T) {
	files := outputs(t)
	not, groups := notExplained(t, files), map[string]bool{}
	where := map[string]string{}
	for _, word := range slices.Concat(docs.WordsOfThePage(), promisedNow(t)["checks"]) {
		if group, _, is := strings.Cut(word, "/"); is {
			groups[group] = true
		}
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range whole(camelWord, string(text)) {
			if !not[word] && !strings.HasPrefix(word, "Test") {
				where[word] = path
			}
		}
		for _, id := range whole(stepID, string(text)) {
			if group, _, _ := strings.Cut(id, "/"); groups[group] && !slices.Contains(noStep, id) {
				where[id] = path
			}
		}
	}
	source, err := wordusage.Parse(os.DirFS("../.."), "pkg", "sandbox")
	if err != nil {
		t.Fatal(err)
	}
	begin := regexp.MustCompile(`^[A-Z]`)
	for _, use := range source.Find(func(string) bool { return false }) {
		roles := []wordusage.Role{wordusage.ConditionType, wordusage.Reason, wordusage.Phase}
		if slices.Contains(roles, use.Role) && !not[use.Word] && begin.MatchString(use.Word) {
			where[use.Word] = use.File
		}
	}
	if len(where) < 300 {
		t.Fatalf("only %d words", len(where))
	}
	for _, word := range slices.Sorted(maps.Keys(where)) {
		if code, _, _ := run(t, "explain", word); code != 0 {
			t.Errorf("%s: %s is not explained", where[word], word)
		}
	}
}

// oneStep are IDs that two packages have for the same thing.
var oneStep = []string{"cluster/accepted"}

// TestNoIDStandsForTwoSteps: a word that explain knows means one thing, so no two steps have the same ID.
func TestNoIDStandsForTwoSteps(t *testing.T) {
	declared := regexp.MustCompile(`(?:step\.ID = |\bID: )"(` + stepID.String() + `)"`)
	first := map[string]string{}
	err := filepath.WalkDir(filepath.Join("..", "..", "pkg"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
			if before := first[m[1]]; before != "" && filepath.Dir(before) != filepath.Dir(path) &&
				!slices.Contains(oneStep, m[1]) {
				t.Errorf("%s stands for a step of %s, and for one of %s", m[1], before, path)
			}
			first[m[1]] = path
		}
		return err
	})
	if err != nil || len(first) < 120 {
		t.Errorf("%d IDs, %v", len(first), err)
	}
}

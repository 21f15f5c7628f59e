package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// goodMark and badMark are what follows a mark on a line, up to the next one.
	goodMark = regexp.MustCompile(`✓([^✓✗]*)`)
	badMark  = regexp.MustCompile(`✗([^✓✗]*)`)
	// goodFinding is a finding that is well, in JSON; goodCall is one in hcctl's code.
	goodFinding = regexp.MustCompile(`"state": ?"ok",\s*"message": ?"([^"]*)"`)
	goodCall    = regexp.MustCompile(`step\.OK\(\s*"([^"]*)"((?:\s*\+\s*"[^"]*")*)`)
	// badWord is what a sentence beside a good mark has only with a reason, goodEnd what a line with a bad mark says if
	// all is well.
	badWord = regexp.MustCompile(`(?i)\b(not|no|failed|cannot|missing)\b`)
	goodEnd = regexp.MustCompile(`(?i)(: |  )(ok|ready|healthy|complete|completed|exists|available)$`)
	counted = regexp.MustCompile(`\b(\d+) of (\d+) [^:;(]*(ready|joined|available|valid)$`)
)

// goodThough are parts of sentences that have such a word and are good all the same, with the reason.
var goodThough = map[string]string{
	"not needed: ":                       "what makes it unnecessary follows",
	"no advice":                          "the absence is what is well",
	"no longer paused":                   "the absence is what is well",
	"no other hosted cluster is named":   "the absence is what is well",
	"no namespace of an earlier run":     "the absence is what is well",
	"no API server runs":                 "a restore waits for that",
	"no pods":                            "a restore waits for that",
	"no worker VM is left":               "a deletion waits for that",
	"not more than one":                  "the absence is what is well",
	"not updating":                       "the absence is what is well",
	"Available, not degraded":            "the absence is what is well",
	": not in use":                       "the absence is what is well",
	"no network file system":             "etcd does not work on one",
	"no worker has a zone":               "then zones decide nothing",
	"no registry is mirrored":            "the usual case, in which nothing has to be set",
	"there are no addresses":             "nothing can be wrong with them yet; another check says that they are missing",
	"hcctl did not create it":            "what others made is left alone, as it should be",
	"what is in it is not hcctl's":       "what others made is left alone, as it should be",
	"hcctl added no entry":               "then there is nothing to take away",
	"which hcctl did not create, needs":  "what others made is left alone, as it should be",
	"hcctl did not set its":              "what others set is left alone, as it should be",
	"is not of this cluster; left as":    "what others made is left alone, as it should be",
	"wildcard routes are not admitted":   "an uninstall has ended that",
	"there is no Operator Lifecycle":     "then nothing of it can be in the way",
	"has no Operator Lifecycle":          "then nothing of it can be in the way",
	"has no MachineConfigPools":          "then nothing of them can be in the way",
	"HyperShift is not installed":        "then nothing of it can be in the way",
	"this hub has no scores":             "then nothing of them is to be removed",
	"has no kubeconfig, so hcctl has":    "then nothing of it is to be removed",
	"was not tried, because only one":    "a limit of the probe, with its reason",
	"is not set, so":                     "what has to hold then follows",
	"additionalTrustedCA is not set":     "what has to hold stands before it",
	"not waited for now, but at the end": "says when it is waited for",
	"there are no NodePools":             "then there are no workers to wait for",
	"may not delete namespaces":          "says what stays, and why",
	"has no certificate for":             "what has to hold then follows",
	"unhealthy, but not needed by them":  "says why they do not count",
	"are not renewed meanwhile":          "a consequence of what somebody has paused",
	"patches are not held up":            "the absence is what is well",
	"is not older than OpenShift":        "the absence is what is well",
	"says that it is not for OpenShift":  "none of them says so",
	"risks that do not apply":            "the absence is what is well",
	"a patch removes no API":             "the absence is what is well",
	"no API was asked for":               "the absence is what is well",
	"the image does not say its version": "the operator's own range follows",
	"they do not: %s; delete uses":       "delete has another way, which it names",
	"cleanup of its load balancers and":  "the user has turned it off",
	"right if a load balancer":           "both cases are told, and which is right",
	"which is not the cluster's own":     "both cases are told, and which is right",
}

// reasoned reports whether goodThough has a part of the sentence, and notes which.
func reasoned(sentence string, used map[string]bool) bool {
	is := false
	for part := range goodThough {
		if strings.Contains(sentence, part) {
			used[part], is = true, true
		}
	}
	return is
}

// allWell reports whether a line with a bad mark says that all is well.
func allWell(line string) bool {
	line = strings.TrimRight(line, " '$")
	m := counted.FindStringSubmatch(line)
	return goodEnd.MatchString(line) || m != nil && m[1] == m[2]
}

// TestEveryMarkAgreesWithItsSentence: in every golden file, script and page, and in hcctl's own sentences about what is
// well.
func TestEveryMarkAgreesWithItsSentence(t *testing.T) {
	good, used, lines := map[string]string{}, map[string]bool{}, 0
	files := outputs(t)
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/dev/*.md"} {
		pages, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		if err != nil || len(pages) == 0 {
			t.Fatalf("%s: %d pages, %v", pattern, len(pages), err)
		}
		files = append(files, pages...)
	}
	for _, path := range slices.Compact(slices.Sorted(slices.Values(files))) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimRight(line, "\n")
			if strings.HasPrefix(line, "! ") || strings.HasPrefix(line, "#") {
				continue // a script holds that it is not printed
			}
			for _, m := range slices.Concat(goodMark.FindAllStringSubmatch(line, -1),
				goodFinding.FindAllStringSubmatch(line, -1)) {
				good[m[1]] = path
				lines++
			}
			for _, m := range badMark.FindAllStringSubmatch(line, -1) {
				lines++
				if allWell(m[1]) {
					t.Errorf("%s: a bad mark, and the line says that all is well: %s", path, line)
				}
			}
		}
	}
	if lines < 300 {
		t.Errorf("only %d lines with a mark", lines)
	}
	err := filepath.WalkDir(filepath.Join("..", "..", "pkg"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range goodCall.FindAllStringSubmatch(string(text), -1) {
			good[m[1]+m[2]] = path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for sentence, path := range good {
		if badWord.MatchString(sentence) && !reasoned(sentence, used) {
			t.Errorf("%s: a good mark, and the sentence has %q: %s", path, badWord.FindString(sentence), sentence)
		}
	}
	for part := range goodThough {
		if !used[part] {
			t.Errorf("no sentence has %q any more", part)
		}
	}
}

// TestADisagreeingMarkIsSeen: the lines that once disagreed.
func TestADisagreeingMarkIsSeen(t *testing.T) {
	for _, line := range []string{"kv-00-b has not joined yet", "machines: no node is ready", "etcd failed"} {
		if !badWord.MatchString(line) || reasoned(line, map[string]bool{}) {
			t.Errorf("✓ %s: it passes", line)
		}
	}
	for line, want := range map[string]bool{"worker VMs: 2 of 2 ready": true, "worker VMs: 1 of 2 ready": false,
		"kv-00  failing  ready  4.20.3": false, "API server: ready": true} {
		if allWell(line) != want {
			t.Errorf("✗ %s: all well is %t", line, !want)
		}
	}
}

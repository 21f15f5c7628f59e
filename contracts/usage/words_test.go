package usage

import (
	"os"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/contracts"
)

// families returns whether a domain is one of the operators': its last two parts are those of a domain in the facts.
func families(words *contracts.Words) func(string) bool {
	known := map[string]bool{}
	last := func(domain string) string {
		parts := strings.Split(domain, ".")
		return strings.Join(parts[max(0, len(parts)-2):], ".")
	}
	for domain := range words.Domains() {
		known[last(domain)] = true
	}
	return func(domain string) bool { return known[last(domain)] }
}

// Every word of an operator that hcctl or the sandbox uses is one that the operator's source has.
func TestEveryWordIsInTheContracts(t *testing.T) {
	words, err := contracts.ReadWords()
	if err != nil {
		t.Fatal(err)
	}
	source, err := Parse(os.DirFS("../.."), "pkg", "sandbox")
	if err != nil {
		t.Fatal(err)
	}
	uses := source.Find(families(words))
	if len(uses) < 500 {
		t.Errorf("only %d words are found", len(uses))
	}
	exceptions, err := ReadExceptions()
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range exceptions.Judge(uses, func(word string) bool { return len(words.Find(word)) > 0 }) {
		t.Error(wrong)
	}
	for _, wrong := range exceptions.JudgeOlder(uses, words.Gone) {
		t.Error(wrong)
	}
}

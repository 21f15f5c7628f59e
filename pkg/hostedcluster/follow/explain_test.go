package follow

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Each known condition has a meaning, once, and no meaning is of a condition that hcctl does not judge.
func TestEveryConditionHasAMeaning(t *testing.T) {
	known := map[[2]string]bool{}
	for _, e := range expectations() {
		known[[2]string{e.kind, e.condition}] = false
	}
	for _, m := range meanings() {
		key := [2]string{m.kind, m.condition}
		given, ok := known[key]
		switch {
		case !ok:
			t.Errorf("%s %s has a meaning and is not judged", m.kind, m.condition)
		case given:
			t.Errorf("%s %s has two meanings", m.kind, m.condition)
		}
		known[key] = true
	}
	for key, given := range known {
		if !given {
			t.Errorf("%s %s has no meaning", key[0], key[1])
		}
	}
	for _, e := range Explanations() {
		if e.Condition == "" || e.Good != "" && (e.Means == "" || e.Look == "") {
			t.Errorf("%+v: it says too little", e)
		}
	}
}

// A check that an explanation sends people to exists.
func TestExplanationsNameChecksThatExist(t *testing.T) {
	only := regexp.MustCompile(`--only ([a-z0-9/,-]+)`)
	found := 0
	for _, e := range Explanations() {
		for _, match := range only.FindAllStringSubmatch(e.Look+" "+e.Hint, -1) {
			for _, name := range strings.Split(strings.TrimRight(match[1], ","), ",") {
				found++
				pages, err := os.ReadDir("../../../docs/checks")
				if err != nil {
					t.Fatal(err)
				}
				want, exists := strings.ReplaceAll(name, "/", "-"), false
				for _, page := range pages {
					exists = exists || page.Name() == want+".md" || !strings.Contains(name, "/") &&
						strings.HasPrefix(page.Name(), want+"-")
				}
				if !exists {
					t.Errorf("%s %s: there is no check or group %s", e.Kind, e.Condition, name)
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("%d checks are named", found)
	}
}

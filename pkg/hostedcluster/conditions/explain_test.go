package conditions

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// A check that an explanation sends people to exists.
func TestExplanationsNameChecksThatExist(t *testing.T) {
	only := regexp.MustCompile(`--only ([a-z0-9/,-]+)`)
	found := 0
	for _, e := range Explanations() {
		for _, match := range only.FindAllStringSubmatch(e.Look+" "+e.Hint.String(), -1) {
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

package chaos

import (
	"net/http"
	"strings"
	"testing"
)

// A write is picked at both of its boundaries, once each, however often it is sent; then the next one has its turn.
func TestUncoveredWritesAreOncePicked(t *testing.T) {
	covered := map[string]moment{}
	run := func(bodies ...string) string {
		pick, told := uncovered(covered), []string{}
		for _, body := range bodies {
			r, err := http.NewRequestWithContext(
				t.Context(), http.MethodPost, "https://x/api/v1/namespaces?fieldManager=hcctl", strings.NewReader(body),
			)
			if err != nil {
				t.Fatal(err)
			}
			told = append(told, body+[]string{"", " before", " after"}[pick(r)])
		}
		return strings.Join(told, ", ")
	}
	for _, want := range []string{"before", "after", ""} {
		// Each run sends another key, and it is the same write.
		key := `{"kind":"Secret","metadata":{"name":"etcd"},"data":{"key":"` + want + `"}}`
		if got := strings.TrimPrefix(run(key), key); strings.TrimSpace(got) != want {
			t.Fatalf("a Secret with another key is picked %q, want %q", got, want)
		}
	}
	for _, want := range []string{"a before, b", "a after, b", "a, b before", "a, b after", "a, b"} {
		if got := run("a", "b"); got != want {
			t.Fatalf("picked %q, want %q", got, want)
		}
	}
}

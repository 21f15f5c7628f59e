package hostedcluster_test

import (
	"strings"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// TestExpired: only a mark that both clocks have passed deletes, and a wrong one never does.
func TestExpired(t *testing.T) {
	created := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	hours := func(n int) time.Time { return created.Add(time.Duration(n) * time.Hour) }
	for name, tc := range map[string]struct {
		mark          string
		server, local time.Time
		want          bool
	}{
		"past":                       {"6h", hours(7), hours(7), true},
		"not yet":                    {"6h", hours(5), hours(5), false},
		"at that moment":             {"6h", hours(6), hours(6), false},
		"the server's clock leads":   {"6h", hours(900), hours(5), false},
		"hcctl's clock leads":        {"6h", hours(5), hours(900), false},
		"a time":                     {"2026-03-01T13:00:00Z", hours(2), hours(2), true},
		"a time of another zone":     {"2026-03-01T13:00:00-05:00", hours(2), hours(2), false},
		"days":                       {"1d", hours(25), hours(25), true},
		"no mark":                    {"", hours(900), hours(900), false},
		"a word":                     {"soon", hours(900), hours(900), false},
		"no unit":                    {"6", hours(900), hours(900), false},
		"never after zero":           {"0s", hours(900), hours(900), false},
		"negative":                   {"-6h", hours(900), hours(900), false},
		"before the creation":        {"2026-02-01T00:00:00Z", hours(900), hours(900), false},
		"a day without a time":       {"2026-03-02", hours(900), hours(900), false},
		"longer than a duration can": {"106752d", hours(900), hours(900), false},
	} {
		hc := &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(created)}}
		if name != "no mark" {
			hc.Annotations = map[string]string{hostedcluster.ExpiresAnnotation: tc.mark}
		}
		if got := hostedcluster.Expired(hc, tc.server, tc.local); got != tc.want {
			t.Errorf("%s: %t, want %t", name, got, tc.want)
		}
		hc.CreationTimestamp = metav1.Time{}
		if hostedcluster.Expired(hc, tc.server, tc.local) {
			t.Errorf("%s: it expires without a time of creation", name)
		}
	}
}

// TestOwnerFromCI: every name is the value of a label, and no two pipelines have the same.
func TestOwnerFromCI(t *testing.T) {
	long := strings.Repeat("group/", 20)
	seen := map[string]string{}
	for _, tc := range []struct{ system, value, variable, text, want string }{
		{"GITLAB_CI", "true", "CI_PROJECT_PATH", "net/lab/e2e", "net.lab.e2e"},
		{"GITHUB_ACTIONS", "true", "GITHUB_REPOSITORY", "example/e2e", "example.e2e"},
		{"JENKINS_URL", "https://ci.example.com", "JOB_NAME", "folder/e2e nightly", ""},
		{"PROW_JOB_ID", "1", "JOB_NAME", "periodic-e2e", "periodic-e2e"},
		{"GITLAB_CI", "true", "CI_PROJECT_PATH", "net.lab/e2e", ""},
		{"GITLAB_CI", "true", "CI_PROJECT_PATH", long + "a", ""},
		{"GITLAB_CI", "true", "CI_PROJECT_PATH", long + "b", ""},
		{"JENKINS_URL", "https://ci.example.com", "JOB_NAME", "---", ""},
		{"JENKINS_URL", "https://ci.example.com", "JOB_NAME", "é", ""},
	} {
		env := map[string]string{tc.system: tc.value, tc.variable: tc.text}
		got := hostedcluster.OwnerFromCI(func(name string) string { return env[name] })
		if got == "" || len(validation.IsValidLabelValue(got)) > 0 || tc.want != "" && got != tc.want {
			t.Errorf("%s: %q, want %q", tc.text, got, tc.want)
		}
		if other, is := seen[got]; is {
			t.Errorf("%s and %s are both %s", tc.text, other, got)
		}
		seen[got] = tc.text
	}
	env := map[string]string{"JOB_NAME": "e2e", "GITLAB_CI": "true", "CI_PROJECT_PATH": ""}
	if got := hostedcluster.OwnerFromCI(func(name string) string { return env[name] }); got != "" {
		t.Errorf("%q, though no CI system says it", got)
	}
}

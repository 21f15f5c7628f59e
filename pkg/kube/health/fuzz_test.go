package health_test

import (
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// FuzzJudge shows that no object is called good that kstatus does not call current, that none makes Judge panic, and
// that whatever is not good has a reason in words
// that are safe to show.
func FuzzJudge(f *testing.F) {
	var seeds []string
	for _, tc := range cases() {
		seeds = append(seeds, tc.object)
	}
	for _, tc := range kinds() {
		seeds = append(seeds, tc.object)
	}
	for _, text := range seeds {
		data, err := object(f, text).MarshalJSON()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		u := &unstructured.Unstructured{}
		if u.UnmarshalJSON(data) != nil || u.IsList() {
			return
		}
		for _, more := range [][]health.Fact{nil, {health.Wanting(3)}, slices("")} {
			checkVerdict(t, u, data, health.Judge(u, now, more...))
		}
	})
}

// checkVerdict compares a verdict with that of kstatus, and looks for what must not be shown.
func checkVerdict(t *testing.T, u *unstructured.Unstructured, data []byte, v health.Verdict) {
	t.Helper()
	if want, err := compute(u); v.OK() && (err != nil || want != status.CurrentStatus) {
		t.Errorf("good, and for kstatus %s (%v): %s", want, err, data)
	}
	if v.State == step.StateSkipped || v.State == step.StateMissing || v.State != step.StateOK && v.Message == "" {
		t.Errorf("%+v: %s", v, data)
	}
	for _, text := range []string{v.Message, v.Reason, v.Object} {
		if text != sanitize.Value(text) {
			t.Errorf("%q: %s", text, data)
		}
	}
}

// compute is what kstatus says; no status where it panics.
func compute(u *unstructured.Unstructured) (s status.Status, err error) {
	defer func() {
		if recover() != nil {
			s = ""
		}
	}()
	result, err := status.Compute(u)
	if err != nil {
		return "", err
	}
	return result.Status, nil
}

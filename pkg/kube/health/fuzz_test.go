package health_test

import (
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// FuzzJudge shows that no object is called good that kstatus does not call current, that none makes Judge panic, and
// that whatever is not good has a reason in words.
func FuzzJudge(f *testing.F) {
	for _, tc := range cases() {
		data, err := object(f, tc.object).MarshalJSON()
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
		v := health.Judge(u, now)
		if want, err := compute(u); v.OK() && (err != nil || want != status.CurrentStatus) {
			t.Errorf("good, and for kstatus %s (%v): %s", want, err, data)
		}
		if v.State == step.StateSkipped || v.State == step.StateMissing || !v.OK() && v.Message == "" {
			t.Errorf("%+v: %s", v, data)
		}
	})
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

package reconciler

import (
	"testing"
	"time"

	"github.com/hcctl/hcctl/sandbox/operator"
)

func TestStages(t *testing.T) {
	now := time.Unix(0, 0)
	p := NewStages(operator.Pace{Speed: 2})
	p.now = func() time.Time { return now }
	if left := p.Remaining("a/1", 2*time.Second); left != time.Second {
		t.Errorf("at first %v are left", left)
	}
	now = now.Add(600 * time.Millisecond)
	if left := p.Remaining("a/1", 2*time.Second); left != 400*time.Millisecond {
		t.Errorf("then %v are left", left)
	}
	now = now.Add(time.Hour)
	if left := p.Remaining("a/1", 2*time.Second); left != 0 {
		t.Errorf("in the end %v are left", left)
	}
	p.Forget("a/")
	if left := p.Remaining("a/1", 2*time.Second); left != time.Second {
		t.Errorf("after forgetting %v are left", left)
	}
}

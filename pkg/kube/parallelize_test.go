package kube_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
)

// TestSideBySide: as many as allowed run at the same time, no more, and all of them.
func TestSideBySide(t *testing.T) {
	var mu sync.Mutex
	under, most, done := 0, 0, 0
	full := make(chan struct{})
	kube.Parallelize(20, 4, func(int) {
		mu.Lock()
		if under++; under > most {
			if most = under; most == 4 {
				close(full)
			}
		}
		mu.Unlock()
		<-full
		mu.Lock()
		under--
		done++
		mu.Unlock()
	})
	if most != 4 || done != 20 {
		t.Errorf("%d at once, %d in all", most, done)
	}
}

// Each waits for the other, and the first error in their order counts.
func TestTogether(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	first, second := errors.New("first"), errors.New("second")
	meets := func(err error) func() error { return func() error { both.Done(); both.Wait(); return err } }
	if err := kube.Together(meets(first), meets(second)); err != first { //nolint:errorlint // that very one
		t.Errorf("%v, want %v", err, first)
	}
	if err := kube.Together(); err != nil {
		t.Error(err)
	}
}

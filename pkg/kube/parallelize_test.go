package kube_test

import (
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

package kube

import "sync"

// Parallelize calls do for every number below n, at most atOnce (at least one) at the same time, and returns when all
// have returned.
func Parallelize(n, atOnce int, do func(int)) {
	places := make(chan struct{}, max(1, atOnce))
	var wg sync.WaitGroup
	for i := range n {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			do(i)
		})
	}
	wg.Wait()
}

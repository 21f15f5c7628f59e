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

// Together calls all functions at the same time, so that none waits for another's answer, and returns the error of the
// first in their order that failed.
func Together(ask ...func() error) error {
	failed := make([]error, len(ask))
	Parallelize(len(ask), len(ask), func(i int) { failed[i] = ask[i]() })
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

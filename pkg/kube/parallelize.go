package kube

import "sync"

// Parallelize calls do for every number below n, at most atOnce calls (at least one) at a time, and returns when all
// calls have returned.
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

// Together runs all functions in parallel and waits for all of them. It returns the error of the first function, in
// argument order, that failed.
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

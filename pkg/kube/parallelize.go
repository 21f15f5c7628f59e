package kube

import "sync"

// Parallelize calls do for every number below n, at most atOnce calls (at least one) at a time, and returns when all
// calls have returned.
func Parallelize(n, atOnce int, do func(int)) {
	slots := make(chan struct{}, max(1, atOnce))
	var wg sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			do(i)
		})
	}
	wg.Wait()
}

// Together runs all functions in parallel and waits for all of them. It returns the error of the first function, in
// argument order, that failed.
func Together(calls ...func() error) error {
	errs := make([]error, len(calls))
	Parallelize(len(calls), len(calls), func(i int) { errs[i] = calls[i]() })
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

package process

import (
	"context"
	"fmt"
	"time"
)

const (
	// maxEnds is how often in a row a child may end by itself, each time before it was up for steadyTime. The pauses
	// between add up to half a minute.
	maxEnds = 6
	// steadyTime is how long a child must be up for its earlier ends to count no more.
	steadyTime = time.Minute
	// minPause and maxPause are the first and the longest time before a child starts again.
	minPause, maxPause = time.Second, 30 * time.Second
)

// Keep implements operator.Processes.
func (s *Supervisor) Keep(ctx context.Context, label, name string, args, env []string) (<-chan struct{}, error) {
	return s.KeepStarting(ctx, label, s.Fail, func() (<-chan string, error) {
		return s.StartWithFiles(ctx, label, name, args, env, nil)
	})
}

// KeepStarting is Keep for a child that start starts; start returns the channel of StartWithFiles. If the child ends
// again and again, KeepStarting calls giveUp before it closes done.
func (s *Supervisor) KeepStarting(ctx context.Context, label string, giveUp func(error),
	start func() (<-chan string, error)) (done <-chan struct{}, err error) {
	began := time.Now()
	result, err := start()
	if err != nil {
		return nil, err
	}
	closed := make(chan struct{})
	s.children.Go(func() {
		defer close(closed)
		for ends, pause := 0, minPause; ; pause = min(2*pause, maxPause) {
			how := ""
			if err == nil {
				how = <-result
			} else {
				how = err.Error()
			}
			if ctx.Err() != nil {
				return
			}
			if time.Since(began) >= steadyTime {
				ends, pause = 0, minPause
			}
			if ends++; ends == maxEnds {
				giveUp(fmt.Errorf("%s ended by itself %d times in a row: %s", label, ends, how))
				return
			}
			s.Report(fmt.Sprintf("%s ended by itself and starts again in %s: %s", label, pause, how))
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
			began = time.Now()
			result, err = start()
		}
	})
	return closed, nil
}

package process

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// childVariable makes this test's binary a child that writes the value and exits with 3.
const childVariable = "SANDBOX_TEST_CHILD"

func TestMain(m *testing.M) {
	if text := os.Getenv(childVariable); text != "" {
		_, _ = os.Stderr.WriteString(text)
		os.Exit(3) //nolint:forbidigo // this process is the child
	}
	os.Exit(m.Run()) //nolint:forbidigo // it is the main of the tests
}

// A child that ends by itself starts again, and its exit code and last lines are reported.
func TestKeptChildStartsAgain(t *testing.T) {
	reports := make(chan string, 2*maxEnds)
	s, err := NewSupervisor(t.TempDir(), Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Report: func(text string) { reports <- text }, Fail: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done, err := s.Keep(ctx, "child", "", nil, []string{childVariable + "=first\nsecond\n"})
	if err != nil {
		t.Fatal(err)
	}
	want := "child ended by itself and starts again in 1s: exit status 3: first | second"
	if got := <-reports; got != want {
		t.Errorf("reported %q, want %q", got, want)
	}
	if got := <-reports; got != strings.Replace(want, "1s", "2s", 1) {
		t.Errorf("reported %q the second time", got)
	}
	stop()
	<-done
	s.Wait()
}

// A child that ends again and again is given up, unless it was up for a while in between.
func TestKeptChildIsGivenUp(t *testing.T) {
	for name, c := range map[string]struct {
		// up is how long the third child is up.
		up     time.Duration
		starts int
	}{
		"in a row":             {0, maxEnds},
		"up for a while":       {steadyTime, maxEnds + 2},
		"up for a short while": {steadyTime - time.Second, maxEnds},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &Supervisor{Options: Options{Report: func(string) {}}}
				var gaveUp error
				starts := 0
				done, err := s.KeepStarting(t.Context(), "child", func(err error) { gaveUp = err }, func() (<-chan string, error) {
					result := make(chan string, 1)
					if starts++; starts == 3 {
						time.AfterFunc(c.up, func() { result <- "exit status 3" })
					} else {
						result <- "exit status 3"
					}
					return result, nil
				})
				if err != nil {
					t.Fatal(err)
				}
				<-done
				want := fmt.Sprintf("child ended by itself %d times in a row: exit status 3", maxEnds)
				if starts != c.starts || gaveUp == nil || gaveUp.Error() != want {
					t.Errorf("given up after %d starts with %v, want %d and %q", starts, gaveUp, c.starts, want)
				}
			})
		})
	}
}

func TestLastLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	before := "panic: of an earlier run\n"
	for text, want := range map[string]string{
		"":                        "it wrote nothing",
		"1\n2\n3\n4\n5\n6\n":      "2 | 3 | 4 | 5 | 6",
		"1\npanic: x\n\nstack\n9": "panic: x |  | stack | 9",
		"F1127 12:00:00 no\ngoroutine 1\n1\n2\n3\n4\n5\n6": "F1127 12:00:00 no | goroutine 1 | 1 | 2 | 3",
		strings.Repeat("a", maxLine+1):                     strings.Repeat("a", maxLine) + "...",
	} {
		if err := os.WriteFile(path, []byte(before+text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := lastLines(path, int64(len(before))); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

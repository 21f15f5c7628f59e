package e2e

import (
	"errors"
	"os/exec"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// exitsCommand: exits CODE [within DURATION] PROGRAM [ARG]...
//
// runs the program and asks for exactly that exit code, and in time; its output is there for stdout, stderr and cmp as
// after exec.
func exitsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE [within DURATION] PROGRAM [ARG]...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	limit, call := time.Duration(0), args[1:]
	if len(call) > 2 && call[0] == "within" {
		limit, err = time.ParseDuration(call[1])
		ts.Check(err)
		call = call[2:]
	}
	begin := time.Now()
	got, err := exitCode(ts.Exec(call[0], call[1:]...))
	ts.Check(err)
	if took := time.Since(begin); limit > 0 && took > limit {
		ts.Fatalf("took %s, want at most %s", took.Round(time.Millisecond), limit)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
	if call[0] == "hcctl" {
		printedHints.follow(ts, harnessOf(ts).hcctl)
	}
}

// exitCode is the exit code in what running a program returned; it fails if the program did not run to its end.
func exitCode(err error) (int, error) {
	if err == nil {
		return 0, nil
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return exit.ExitCode(), nil
	}
	return 0, err
}

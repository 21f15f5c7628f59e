package e2e

import (
	"bufio"
	"errors"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// maxLines is how many lines of progress a program may write before it is killed: about as many as a create writes in
// all.
const maxLines = 24

// interruptedCommand: interrupted SEED KILLS PROGRAM [ARG]...
//
// runs the program KILLS times, each time ending it with SIGKILL after as many lines on stderr as chance, which SEED
// decides, says, and then once more without a disturbance, which must exit 0. A run that ends by itself before its
// lines are there must exit 0 too, and is the last one.
func interruptedCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: interrupted SEED KILLS PROGRAM [ARG]...")
	}
	seed, err := strconv.ParseUint(args[0], 10, 64)
	ts.Check(err)
	kills, err := strconv.Atoi(args[1])
	ts.Check(err)
	program := filepath.Join(filepath.SplitList(ts.Getenv("PATH"))[0], args[2])
	chance := rand.New(rand.NewPCG(seed, uint64(len(args)))) // chance that can be repeated
	for range kills {
		lines := 1 + chance.IntN(maxLines)
		ended, err := killedAfter(ts, lines, program, args[3:])
		if errors.Is(err, errNothingLeft) {
			ts.Logf("[nothing was left to delete]")
			return
		}
		ts.Check(err)
		if ended {
			ts.Logf("[ended by itself before its %d lines]", lines)
			return
		}
		ts.Logf("[killed after %d lines]", lines)
	}
	err = ts.Exec(args[2], args[3:]...)
	if err != nil && nothingLeft(args, ts.ReadFile("stderr")) {
		return
	}
	ts.Check(err)
}

var errNothingLeft = errors.New("nothing is left to delete")

// nothingLeft reports whether a deletion failed only because the previous, killed one had already deleted everything.
func nothingLeft(args []string, stderr string) bool {
	return slices.Contains(args, "delete") && strings.Contains(stderr, "no hosted cluster")
}

// killedAfter runs a program until it has written so many lines, and kills it then. Ended tells that it was done
// before, and well.
func killedAfter(ts *testscript.TestScript, lines int, program string, args []string) (ended bool, err error) {
	cmd := exec.Command(program, args...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "KUBECONFIG"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	progress, err := cmd.StderrPipe()
	if err != nil {
		return false, err
	}
	if err := cmd.Start(); err != nil {
		return false, err
	}
	var told strings.Builder
	read := bufio.NewScanner(progress)
	for n := 0; n < lines && read.Scan(); n++ {
		told.WriteString(read.Text() + "\n")
	}
	_ = cmd.Process.Kill()
	for read.Scan() { // the pipe has to be empty before the process is waited for
		told.WriteString(read.Text() + "\n")
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return true, nil
	case errors.As(err, &exit) && exit.Exited() && nothingLeft(args, told.String()):
		return false, errNothingLeft
	case errors.As(err, &exit) && exit.Exited():
		ts.Logf("%s", told.String())
		return false, err
	}
	return false, nil
}

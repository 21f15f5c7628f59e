// Command fuzz finds every fuzz target of the module and runs each for a time, several in parallel. It fails if one
// fails, and leaves the input in the package's testdata/fuzz for go test.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	spell := flag.Duration("time", 10*time.Second, "how long each target is run")
	parallel := flag.Int("parallel", runtime.NumCPU(), "how many targets run at once, each with one worker")
	match := flag.String("run", "^Fuzz", "regular expression of the targets")
	flag.Parse()
	patterns := flag.Args()
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *spell, *parallel, *match, patterns); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to stop
	}
}

// target is one Fuzz function.
type target struct {
	pkg, dir, name string
	// program is the package's test program, built for fuzzing.
	program string
}

func run(ctx context.Context, spell time.Duration, parallel int, match string, patterns []string) error {
	begin := time.Now()
	folder, err := os.MkdirTemp("", "hcctl-fuzz-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	targets, err := find(ctx, folder, match, patterns)
	if err != nil {
		return err
	}
	cache, err := output(ctx, ".", "go", "env", "GOCACHE")
	if err != nil {
		return err
	}
	fmt.Printf("fuzz: %d targets, %s each, %d at once; found and built in %s\n", len(targets), spell, parallel,
		time.Since(begin).Round(time.Second))
	queue, failed := make(chan target), make(chan error, len(targets))
	var workers sync.WaitGroup
	for range max(1, parallel) {
		workers.Go(func() {
			for t := range queue {
				failed <- t.run(ctx, spell, strings.TrimSpace(cache))
			}
		})
	}
	for _, t := range targets {
		queue <- t
	}
	close(queue)
	workers.Wait()
	close(failed)
	var errs []error
	for err := range failed {
		errs = append(errs, err)
	}
	fmt.Printf("fuzz: %d targets run in %s\n", len(targets), time.Since(begin).Round(time.Second))
	return errors.Join(errs...)
}

// find builds the test programs of packages with Fuzz functions, and lists these.
func find(ctx context.Context, folder, match string, patterns []string) ([]target, error) {
	listed, err := output(ctx, ".", "go",
		append([]string{"list", "-f", "{{.ImportPath}} {{.Dir}} {{join .TestGoFiles \",\"}},{{join .XTestGoFiles \",\"}}"},
			patterns...)...)
	if err != nil {
		return nil, err
	}
	var all []target
	for _, line := range strings.Split(strings.TrimSpace(listed), "\n") {
		pkg, rest, _ := strings.Cut(line, " ")
		dir, files, _ := strings.Cut(rest, " ")
		has, err := fuzzes(dir, strings.Split(files, ","))
		if err != nil {
			return nil, err
		}
		if !has {
			continue
		}
		program := filepath.Join(folder, strings.ReplaceAll(pkg, "/", "_"))
		// -fuzz makes the compiler add coverage counters, and -c only builds.
		if _, err := output(ctx, ".", "go", "test", "-c", "-fuzz=.", "-o", program, pkg); err != nil {
			return nil, err
		}
		names, err := output(ctx, dir, program, "-test.list", match)
		if err != nil {
			return nil, err
		}
		for _, name := range strings.Fields(names) {
			if strings.HasPrefix(name, "Fuzz") {
				all = append(all, target{pkg, dir, name, program})
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no target matches %s", match)
	}
	return all, nil
}

// fuzzes reports whether test files have a Fuzz function, without compiling them.
func fuzzes(dir string, files []string) (bool, error) {
	for _, file := range files {
		if file == "" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return false, err
		}
		if bytes.Contains(text, []byte("\nfunc Fuzz")) {
			return true, nil
		}
	}
	return false, nil
}

// run fuzzes one target. It keeps the corpus where go test does, so that the next run continues from there.
func (t target) run(ctx context.Context, spell time.Duration, cache string) error {
	begin := time.Now()
	cmd := command(ctx, t.dir, t.program, "-test.run=^$", "-test.fuzz=^"+t.name+"$", "-test.fuzztime="+spell.String(),
		"-test.parallel=1",
		"-test.fuzzcachedir="+filepath.Join(cache, "fuzz", t.pkg))
	told, err := cmd.CombinedOutput()
	name := filepath.Base(t.pkg) + "." + t.name
	if err != nil && (ctx.Err() != nil || !timeUp(string(told))) {
		return fmt.Errorf("%s: %w\n%s", name, err, told) // what it told names the input
	}
	last := ""
	for _, line := range strings.Split(strings.TrimSpace(string(told)), "\n") {
		if strings.Contains(line, "execs:") {
			last = strings.TrimPrefix(line, "fuzz: ")
		}
	}
	if last == "" && err == nil && strings.Contains(string(told), "gathering baseline coverage") {
		last = "its time was up before it had tried what it knows already"
	}
	if last == "" {
		return fmt.Errorf("%s: it told of no run:\n%s", name, told)
	}
	fmt.Printf("fuzz: %s: %s (%s)\n", name, last, time.Since(begin).Round(time.Second))
	return nil
}

// timeUp reports whether a target only ran out of time. Package testing calls that a failure too, but keeps no input.
func timeUp(told string) bool {
	return strings.Contains(told, "context deadline exceeded") && !strings.Contains(told, "Failing input written to") &&
		!strings.Contains(told, "panic:")
}

// command returns a program that ctx interrupts, and later kills.
func command(ctx context.Context, dir, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.WaitDelay = dir, 10*time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	return cmd
}

// output returns a program's stdout. The error contains its stderr.
func output(ctx context.Context, dir, program string, args ...string) (string, error) {
	var out, errs bytes.Buffer
	cmd := command(ctx, dir, program, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(args, " "), err,
			strings.TrimSpace(errs.String()))
	}
	return out.String(), nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// buildFlags are those of make build.
const buildFlags = "-s -w -X github.com/hcctl/hcctl/pkg/cli.version=before"

// compare builds hcctl of another commit and tells, of what needs no server, how that one and this one do. Runs alternate, so that what
// else the machine does hits both. A commit that is not here, as in a shallow clone, is told and is no error.
func (b *bench) compare(ctx context.Context, w io.Writer, commit string) error {
	known := git("rev-parse", "--verify", "--quiet", commit+"^{commit}")
	if known == "" {
		_, err := fmt.Fprintf(w, "There is no %s here (is this a shallow clone?): nothing to compare with.\n", commit)
		return err
	}
	dir, err := os.MkdirTemp("", "hcctl-bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	before, err := buildOf(ctx, known, dir)
	if err != nil {
		return err
	}
	sides := [2]*bench{}
	for i, program := range []string{before, b.hcctl} {
		sides[i] = &bench{hcctl: program, runs: 1, told: io.Discard, samples: map[string][]float64{}}
	}
	for i := range b.runs {
		for j := range sides {
			side := sides[(i+j)%2]
			if err := errors.Join(side.start(ctx), side.binary(ctx), side.render(ctx)); err != nil {
				return err
			}
		}
	}
	return tellRatios(w, commit, known, sides[0].samples, sides[1].samples)
}

// buildOf builds hcctl as that commit has it, in a working tree of its own. What did not change since comes out of Go's build cache.
func buildOf(ctx context.Context, commit, dir string) (string, error) {
	tree, program := filepath.Join(dir, "tree"), filepath.Join(dir, "hcctl")
	if err := quietly(ctx, "", "git", "worktree", "add", "--detach", tree, commit); err != nil {
		return "", err
	}
	err := quietly(ctx, tree, "go", "build", "-ldflags", buildFlags, "-o", program, "./cmd/hcctl")
	return program, errors.Join(err, quietly(ctx, "", "git", "worktree", "remove", "--force", tree))
}

// quietly runs a program whose output matters only if it fails.
func quietly(ctx context.Context, dir, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	// As the Makefile has them, whoever calls: what is compared is what is shipped, and comes out of the same build cache.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath -buildvcs=false")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %v: %w\n%s", program, args, err, lastLines(string(out), 20))
	}
	return nil
}

// tellRatios writes a line for each measure that both have.
func tellRatios(w io.Writer, name, commit string, before, now map[string][]float64) error {
	if _, err := fmt.Fprintf(w, "%-52s %10s %10s %7s   (median of %d runs each; before is %s, %.10s)\n", "", "before", "now", "ratio", len(now["start.version.time"]), name, commit); err != nil {
		return err
	}
	for _, m := range measures() {
		a, b := before[m.ID], now[m.ID]
		if len(a) == 0 || len(b) == 0 {
			continue
		}
		ratio := "-"
		if median(a) != 0 {
			ratio = fmt.Sprintf("%.2f", median(b)/median(a))
		}
		if _, err := fmt.Fprintf(w, "%-52s %10s %10s %7s   %s\n", m.What, number(median(a)), number(median(b)), ratio, m.Unit); err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// talking is a running hcctl with -o json, whose output is read as it comes.
type talking struct {
	*exec.Cmd
	// heard is the error at the end of its output: io.EOF if all was well.
	heard chan error
}

// talk starts hcctl and lets hear read its output.
func (b *bench) talk(ctx context.Context, w *world, hear func(*json.Decoder) error, args ...string) (*talking, error) {
	t := &talking{exec.CommandContext(ctx, b.hcctl, args...), make(chan error, 1)}
	t.Env = append(os.Environ(), w.env...)
	out, err := t.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := t.Start(); err != nil {
		return nil, err
	}
	go func() { t.heard <- hear(json.NewDecoder(out)) }()
	return t, nil
}

// comesTo returns once begun is closed. It fails with hcctl's progress if hcctl ends before, or takes longer than the
// limit.
func (t *talking) comesTo(begun <-chan struct{}, limit time.Duration, far func() string) error {
	command := strings.Join(t.Args[:2], " ")
	select {
	case <-begun:
		return nil
	case err := <-t.heard:
		return fmt.Errorf("%s ended, and has %s: %w", command, far(), err)
	case <-time.After(limit):
		return fmt.Errorf("%s has %s after %s", command, far(), limit)
	}
}

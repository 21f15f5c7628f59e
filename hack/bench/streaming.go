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

// streaming is a running hcctl with -o json, whose output is read while it runs.
type streaming struct {
	*exec.Cmd
	// heard is the error at the end of its output: io.EOF without problems.
	heard chan error
}

// stream starts hcctl and lets hear read its output.
func (b *bench) stream(ctx context.Context, w *testbed, hear func(*json.Decoder) error,
	args ...string) (*streaming, error) {
	t := &streaming{exec.CommandContext(ctx, b.hcctl, args...), make(chan error, 1)}
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

// await returns once begun is closed. It fails, with hcctl's progress, if hcctl ends before or exceeds the limit.
func (t *streaming) await(begun <-chan struct{}, limit time.Duration, progress func() string) error {
	command := strings.Join(t.Args[:2], " ")
	select {
	case <-begun:
		return nil
	case err := <-t.heard:
		return fmt.Errorf("%s ended, and has %s: %w", command, progress(), err)
	case <-time.After(limit):
		return fmt.Errorf("%s has %s after %s", command, progress(), limit)
	}
}

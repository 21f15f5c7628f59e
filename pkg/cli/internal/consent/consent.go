// Package consent decides whether a command may go on: it asks a person at a terminal. Without a terminal, a command
// that destroys something needs --yes, and all others go on.
package consent

import (
	"bufio"
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
)

// ErrRefused means that the person at the terminal did not agree.
var ErrRefused = errors.New("not confirmed: nothing was changed")

// MissingFlagError means that a command destroys something, nobody can be asked, and --yes is missing.
type MissingFlagError struct {
	// Command is what was called, such as "delete cluster".
	Command string
}

func (e *MissingFlagError) Error() string {
	return "hcctl " + e.Command + " needs --yes here: it destroys something, and there is no terminal to ask on"
}

// ExitCode is that of wrong usage.
func (*MissingFlagError) ExitCode() int { return 2 }

// Hint says which flag to give.
func (*MissingFlagError) Hint() string {
	return "give --yes to proceed, or --dry-run to see what it would do"
}

// Question is what a person is asked before a command goes on.
type Question struct {
	// Command is the command that asks, such as "delete cluster".
	Command string
	// Destroys is whether the command destroys something.
	Destroys bool
	// Count is the number of things that are destroyed. Above 1, the person types the number instead of y.
	Count int
}

// Way is how a command gets consent.
type Way string

// The ways.
const (
	// Given means that the command goes on: by --yes, or because it destroys nothing and nobody can be asked.
	Given Way = "given"
	// Asks means that a person is asked.
	Asks Way = "asks"
	// Missing means that the command must not go on.
	Missing Way = "missing"
)

// WayOf returns how a command gets consent.
func WayOf(destroys, yes, terminal bool) Way {
	switch {
	case yes:
		return Given
	case terminal:
		return Asks
	case destroys:
		return Missing
	}
	return Given
}

// Answers says what can be typed, for the end of the question.
func (q Question) Answers() string {
	if q.Count > 1 {
		return "Type " + strconv.Itoa(q.Count) + " to go on: "
	}
	return "[y/N] "
}

// agrees reports whether a typed line means yes.
func (q Question) agrees(line string) bool {
	line = strings.ToLower(strings.TrimSpace(line))
	if q.Count > 1 {
		return line == strconv.Itoa(q.Count)
	}
	return line == "y" || line == "yes"
}

// Ask drops what was typed before the question, shows it by show, and reads the answer. It fails with ErrRefused, or
// with the context's error.
func (q Question) Ask(ctx context.Context, in *os.File, show func()) error {
	// Best effort: on a terminal that cannot drop its input the question still needs an answer.
	_ = dropInput(in)
	show()
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(in).ReadString('\n') // an end of input is no yes
		answer <- line
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case line := <-answer:
		if !q.agrees(line) {
			return ErrRefused
		}
		return nil
	}
}

// Package prompt asks a user at a terminal.
package prompt

import (
	"bufio"
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
)

// ErrRefused means that the user at the terminal did not agree.
var ErrRefused = errors.New("not confirmed: nothing was changed")

// Question is a question that is answered by y, by a number or by a word.
type Question struct {
	// Count is the number of things that are destroyed. Above 1, the user types the number instead of y.
	Count int
	// Word is what the user types instead of y, such as the name of a cluster; empty for y.
	Word string
}

// Answers returns the possible answers, for the end of the question.
func (q Question) Answers() string {
	if q.Word != "" {
		return "Type " + q.Word + " to go on: "
	}
	if q.Count > 1 {
		return "Type " + strconv.Itoa(q.Count) + " to go on: "
	}
	return "[y/N] "
}

// agrees reports whether a typed line confirms.
func (q Question) agrees(line string) bool {
	if q.Word != "" {
		return strings.TrimSpace(line) == q.Word
	}
	line = strings.ToLower(strings.TrimSpace(line))
	if q.Count > 1 {
		return line == strconv.Itoa(q.Count)
	}
	return line == "y" || line == "yes"
}

// Ask discards what was typed before, calls show, and reads the answer. It returns ErrRefused if the user does
// not agree, or the error of the context.
func (q Question) Ask(ctx context.Context, in *os.File, show func()) error {
	// Best effort: on a terminal that cannot discard its input the question still needs an answer.
	_ = dropInput(in)
	show()
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(in).ReadString('\n') // the end of the input does not confirm
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

package ptytest

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// Person is a simulated user who answers the question of a program. It is also the program's screen.
type Person struct {
	// Program is the terminal from which the program reads.
	Program *os.File
	// Answer is typed after a question; "" types nothing.
	Answer string

	t      testing.TB
	person *os.File
	shown  bytes.Buffer
}

// New opens a terminal, which is closed when the test ends.
func New(t testing.TB, answer string) *Person {
	t.Helper()
	person, program, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = person.Close(), program.Close() })
	return &Person{Program: program, Answer: answer, t: t, person: person}
}

// Shown returns the program's output so far.
func (p *Person) Shown() string { return p.shown.String() }

// Write is the screen: after a question it types the answer.
func (p *Person) Write(b []byte) (int, error) {
	n, err := p.shown.Write(b)
	if text := p.Shown(); strings.HasSuffix(text, "? [y/N] ") || strings.HasSuffix(text, " to go on: ") {
		_, err = p.person.WriteString(p.Answer)
	}
	return n, err
}

// TypeAhead types lines before any question, and waits until the terminal has received them.
func (p *Person) TypeAhead(lines string) {
	p.t.Helper()
	if _, err := p.person.WriteString(lines); err != nil {
		p.t.Fatal(err)
	}
	fd := int(p.Program.Fd())
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		// The first line may arrive before the second.
		readable := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}} //nolint:gosec // a file descriptor is small
		if _, err := unix.Poll(readable, 1000); err != nil && !errors.Is(err, unix.EINTR) {
			p.t.Fatal(err)
		}
		n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
		if err != nil {
			p.t.Fatal(err)
		}
		if n == len(lines) {
			return
		}
	}
	p.t.Fatal("the terminal did not get what was typed")
}

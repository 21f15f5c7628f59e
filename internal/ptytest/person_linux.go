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

// Person sits at a terminal and answers the question of a program. It is the program's screen, too.
type Person struct {
	// Program is what the program reads from.
	Program *os.File
	// Answer is typed once a question stands; empty types nothing.
	Answer string

	t      testing.TB
	person *os.File
	shown  bytes.Buffer
}

// New opens a terminal until the test ends.
func New(t testing.TB, answer string) *Person {
	t.Helper()
	person, program, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = person.Close(), program.Close() })
	return &Person{Program: program, Answer: answer, t: t, person: person}
}

// Shown returns what the program has written.
func (p *Person) Shown() string { return p.shown.String() }

// Write is the screen: after a question the user types the answer.
func (p *Person) Write(b []byte) (int, error) {
	n, err := p.shown.Write(b)
	if said := p.Shown(); strings.HasSuffix(said, "? [y/N] ") || strings.HasSuffix(said, " to go on: ") {
		_, err = p.person.WriteString(p.Answer)
	}
	return n, err
}

// TypeAhead types lines before any question, and waits until the terminal has them.
func (p *Person) TypeAhead(lines string) {
	p.t.Helper()
	if _, err := p.person.WriteString(lines); err != nil {
		p.t.Fatal(err)
	}
	fd := int(p.Program.Fd())
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		// The first line may be there before the second.
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

package serial

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// A person at a terminal: every key reaches the machine, also those that end programs, and after Ctrl-] the terminal is
// as it was.
func TestASerialConsoleOnATerminal(t *testing.T) {
	person, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = person.Close(), terminal.Close() }()
	settings := func() unix.Termios {
		now, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
		if err != nil {
			t.Fatal(err)
		}
		return *now
	}
	before := settings()
	restore, err := raw(terminal)
	if err != nil {
		t.Fatal(err)
	}
	if settings() == before {
		t.Error("the terminal is not in raw mode")
	}
	if err := pty.Setsize(person, &pty.Winsize{Rows: 30, Cols: 100}); err != nil { // harmless
		t.Fatal(err)
	}
	here, machine := net.Pipe()
	got := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(machine).ReadString('\x04')
		got <- line
		_, _ = io.WriteString(machine, "\x1b[2Jlogin: ")
	}()
	seen := bufio.NewReader(person)
	done := make(chan error, 1)
	go func() { done <- attend(t.Context(), here, terminal, terminal) }()
	if _, err := person.WriteString("root\r\x03\x1a\x04"); err != nil {
		t.Fatal(err)
	}
	if line := <-got; line != "root\r\x03\x1a\x04" {
		t.Errorf("the machine got %q", line)
	}
	if shown, err := seen.ReadString(' '); err != nil || shown != "\x1b[2Jlogin: " {
		t.Errorf("the terminal shows %q, %v", shown, err)
	}
	if _, err := person.WriteString("\x1d"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("after Ctrl-]: %v", err)
	}
	restore()
	if settings() != before {
		t.Error("the terminal is not as it was")
	}
}

func TestEndsOfASerialConsole(t *testing.T) {
	// The machine closes it: somebody else has opened it.
	here, machine := net.Pipe()
	go func() { _, _ = io.WriteString(machine, "\x1b[2Jbye\r\n"); _ = machine.Close() }()
	var out bytes.Buffer
	err := attend(t.Context(), here, strings.NewReader(""), plain{&out})
	if err == nil || !strings.Contains(err.Error(), "somebody else has opened") || out.String() != `\x1b[2Jbye`+"\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	// A signal ends it, although nothing is typed or printed.
	here, _ = net.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	silent, _ := io.Pipe()
	if err := attend(ctx, here, silent, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	// What is typed before the escape is passed on, what comes after it is not.
	here, machine = net.Pipe()
	got := make(chan string, 1)
	go func() {
		typed, _ := io.ReadAll(machine)
		got <- string(typed)
	}()
	if err := attend(t.Context(), here, strings.NewReader("ls\x1drm"), io.Discard); err != nil {
		t.Error(err)
	}
	_ = here.Close()
	if typed := <-got; typed != "ls" {
		t.Errorf("the machine got %q", typed)
	}
}

package cmdutil

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// terminal opens a pseudo terminal: what a person types is written to the first, and read from the second.
func terminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	t.Cleanup(func() { _ = person.Close() })
	var number, unlocked int32
	for request, value := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlocked, syscall.TIOCGPTN: &number} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, person.Fd(), request,
			uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Fatal(errno)
		}
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Close() })
	return person, program
}

func TestConfirmAsksOnATerminal(t *testing.T) {
	for typed, want := range map[string]error{"y\n": nil, "YES\n": nil, "n\n": errNotConfirmed, "\n": errNotConfirmed,
		"yesterday\n": errNotConfirmed, "\x04": errNotConfirmed} {
		person, program := terminal(t)
		if _, err := person.WriteString(typed); err != nil {
			t.Fatal(err)
		}
		var asked bytes.Buffer
		a := &Factory{Streams: Streams{In: program, Err: &asked}}
		if err := a.Confirm(t.Context(), "Really?"); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", typed, err, want)
		}
		if asked.String() != "Really? [y/N] " {
			t.Errorf("asked %q", asked.String())
		}
	}
}

func TestAnInterruptEndsTheAsking(t *testing.T) {
	_, program := terminal(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := &Factory{Streams: Streams{In: program, Err: &bytes.Buffer{}}}
	if err := a.Confirm(ctx, "Really?"); ExitCode(err) != ExitInterrupted {
		t.Errorf("exit %d: %v", ExitCode(err), err)
	}
}

func TestConfirmNeverAsksWithoutATerminalOrWithYes(t *testing.T) {
	_, program := terminal(t)
	for name, a := range map[string]*Factory{
		"no terminal": {Streams: Streams{In: strings.NewReader("n\n")}},
		"--yes":       {Streams: Streams{In: program}, Yes: true},
	} {
		var asked bytes.Buffer
		a.Streams.Err = &asked
		if err := a.Confirm(t.Context(), "Really?"); err != nil || asked.Len() > 0 {
			t.Errorf("%s: %v, asked %q", name, err, asked.String())
		}
	}
}

package ptytest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// control is what moves the cursor or sets a colour.
var control = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// Run runs a program with a terminal of its own, 120 columns wide, and answers each of its questions by y. It returns
// what the terminal was sent, without colours, and the program's exit code.
func Run(t testing.TB, cmd *exec.Cmd) (shown string, code int) {
	t.Helper()
	person, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = person.Close() }()
	var all bytes.Buffer
	for chunk := make([]byte, 4096); ; {
		n, err := person.Read(chunk)
		all.Write(chunk[:n])
		if strings.HasSuffix(all.String(), "? [y/N] ") {
			if _, err := person.WriteString("y\n"); err != nil {
				t.Fatal(err)
			}
		}
		if errors.Is(err, syscall.EIO) || errors.Is(err, os.ErrClosed) {
			break // the program has ended
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	_ = cmd.Wait() // the exit code says it
	return control.ReplaceAllString(all.String(), ""), cmd.ProcessState.ExitCode()
}

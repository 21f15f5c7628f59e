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

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// Columns is the width of Run's terminal. Lines that scroll off it count, too.
const (
	Columns = 80
	rows    = 40
)

// wordQuestion matches a question that needs a word as the answer.
var wordQuestion = regexp.MustCompile(`Type (\S+) to go on: $`)

// Run runs a program in a terminal, 80 columns wide, and agrees to each of its questions. It returns the lines that the
// program leaves on the terminal, including those that have scrolled off it, and the exit code.
func Run(t testing.TB, cmd *exec.Cmd) (left []string, code int) {
	t.Helper()
	person, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: rows, Cols: Columns})
	if err != nil {
		t.Fatal(err)
	}
	screen := vt.NewEmulator(Columns, rows)
	defer func() { _, _ = person.Close(), screen.Close() }()
	var all bytes.Buffer
	for chunk := make([]byte, 4096); ; {
		n, err := person.Read(chunk)
		all.Write(chunk[:n])
		if _, err := screen.Write(chunk[:n]); err != nil {
			t.Fatal(err)
		}
		answer := ""
		if m := wordQuestion.FindStringSubmatch(all.String()); m != nil {
			answer = m[1] + "\n"
		} else if strings.HasSuffix(all.String(), "? [y/N] ") {
			answer = "y\n"
		}
		if _, err := person.WriteString(answer); err != nil && answer != "" {
			t.Fatal(err)
		}
		if errors.Is(err, syscall.EIO) || errors.Is(err, os.ErrClosed) {
			break // the program has ended
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	_ = cmd.Wait() // its error is in the exit code
	return leftOn(screen), cmd.ProcessState.ExitCode()
}

// leftOn returns the lines of a terminal up to the cursor, without trailing spaces.
func leftOn(screen *vt.Emulator) []string {
	var lines []string
	scrolled := screen.ScrollbackLen()
	for y := range scrolled + screen.CursorPosition().Y {
		var b strings.Builder
		for x := range Columns {
			cell := screen.CellAt(x, y-scrolled)
			if y < scrolled {
				cell = screen.ScrollbackCellAt(x, y)
			}
			if cell != nil {
				b.WriteString(cell.Content)
			}
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return lines
}

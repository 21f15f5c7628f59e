package cmdutil

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/hcctl/hcctl/pkg/cli/internal/consent"
)

// terminal opens a pseudo terminal: what a person types is written to the first, and read from the second.
func terminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, program, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = person.Close(), program.Close() })
	return person, program
}

// answering records what is asked, and has the person type an answer once the question stands.
type answering struct {
	shown  bytes.Buffer
	person *os.File
	answer string
}

func (a *answering) Write(p []byte) (int, error) {
	n, err := a.shown.Write(p)
	if said := a.shown.String(); strings.HasSuffix(said, "? [y/N] ") || strings.HasSuffix(said, "to go on: ") {
		_, err = a.person.WriteString(a.answer)
	}
	return n, err
}

// typeAhead types a line before any question, and waits until the terminal has it.
func typeAhead(t *testing.T, person, program *os.File, line string) {
	t.Helper()
	if _, err := person.WriteString(line); err != nil {
		t.Fatal(err)
	}
	fd := int(program.Fd())
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		// The first line may be there before the second.
		readable := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if _, err := unix.Poll(readable, 1000); err != nil && !errors.Is(err, unix.EINTR) {
			t.Fatal(err)
		}
		n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
		if err != nil {
			t.Fatal(err)
		}
		if n == len(line) {
			return
		}
	}
	t.Fatal("the terminal did not get what was typed")
}

func TestConsentOnATerminal(t *testing.T) {
	three := Destruction("delete clusters", "Delete 3 hosted clusters, with all their data, on https://a.example?", "  a", "  b")
	three.Count = 3
	one := Destruction("delete cluster", "Delete hosted cluster a, with all its data, on https://a.example?", "  lost: all")
	for name, tc := range map[string]struct {
		q             Question
		ahead, answer string
		want          error
	}{
		"yes":                         {one, "", "y\n", nil},
		"YES":                         {one, "", "YES\n", nil},
		"no":                          {one, "", "n\n", consent.ErrRefused},
		"nothing":                     {one, "", "\n", consent.ErrRefused},
		"a word with y":               {one, "", "yesterday\n", consent.ErrRefused},
		"end of input":                {one, "", "\x04", consent.ErrRefused},
		"yes before the question":     {one, "y\n", "n\n", consent.ErrRefused},
		"yes twice before":            {one, "y\ny\n", "\n", consent.ErrRefused},
		"no before the question":      {one, "n\n", "y\n", nil},
		"the number":                  {three, "", "3\n", nil},
		"y for several":               {three, "", "y\n", consent.ErrRefused},
		"another number":              {three, "", "2\n", consent.ErrRefused},
		"number before the question":  {three, "3\n", "\n", consent.ErrRefused},
		"creating asks the same way":  {Question{Ask: "Create it?"}, "y\n", "n\n", consent.ErrRefused},
		"creating, agreed afterwards": {Question{Ask: "Create it?"}, "n\n", "y\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			person, program := terminal(t)
			if tc.ahead != "" {
				typeAhead(t, person, program, tc.ahead)
			}
			asked := &answering{person: person, answer: tc.answer}
			a := &Factory{Streams: Streams{In: program, Err: asked}}
			if err := a.Consent(t.Context(), tc.q); !errors.Is(err, tc.want) {
				t.Errorf("%v, want %v", err, tc.want)
			}
			lines := strings.Split(asked.shown.String(), "\n")
			last := lines[len(lines)-1]
			answers := "[y/N] "
			if tc.q.Count > 1 {
				answers = "Type 3 to go on: "
			}
			if last != string(tc.q.Ask)+" "+answers {
				t.Errorf("the question is not the last line:\n%s", asked.shown.String())
			}
			for i, detail := range tc.q.Details {
				if lines[i] != string(detail) {
					t.Errorf("line %d is %q, want %q", i, lines[i], detail)
				}
			}
		})
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

// TestConsentWithoutAsking: nobody is asked without a terminal or with --yes. What is typed then does not count.
func TestConsentWithoutAsking(t *testing.T) {
	_, program := terminal(t)
	destroys := Destruction("stop cluster", "Stop it?", "  a line")
	for name, tc := range map[string]struct {
		a    *Factory
		q    Question
		code int
	}{
		"creating without a terminal":          {&Factory{Streams: Streams{In: strings.NewReader("n\n")}}, Question{Ask: "Create?"}, ExitDone},
		"creating with --yes":                  {&Factory{Streams: Streams{In: program}, Yes: true}, Question{Ask: "Create?"}, ExitDone},
		"destroying without a terminal":        {&Factory{Streams: Streams{In: strings.NewReader("n\n")}}, destroys, ExitUsage},
		"destroying, y in a pipe":              {&Factory{Streams: Streams{In: strings.NewReader("y\n")}}, destroys, ExitUsage},
		"destroying with --yes":                {&Factory{Streams: Streams{In: program}, Yes: true}, destroys, ExitDone},
		"destroying with --yes, no a terminal": {&Factory{Streams: Streams{In: strings.NewReader("")}, Yes: true}, destroys, ExitDone},
	} {
		t.Run(name, func(t *testing.T) {
			var asked bytes.Buffer
			tc.a.Streams.Err = &asked
			err := tc.a.Consent(t.Context(), tc.q)
			if ExitCode(err) != tc.code || asked.Len() > 0 {
				t.Errorf("exit %d, want %d: %v, asked %q", ExitCode(err), tc.code, err, asked.String())
			}
			if tc.code == ExitUsage && !strings.Contains(err.Error(), "hcctl stop cluster needs --yes here") {
				t.Errorf("the error names no flag: %v", err)
			}
		})
	}
}

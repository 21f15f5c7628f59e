package cmdutil

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/internal/ptytest"
	"github.com/hcctl/hcctl/pkg/cli/internal/prompt"
)

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
		"no":                          {one, "", "n\n", prompt.ErrRefused},
		"nothing":                     {one, "", "\n", prompt.ErrRefused},
		"a word with y":               {one, "", "yesterday\n", prompt.ErrRefused},
		"end of input":                {one, "", "\x04", prompt.ErrRefused},
		"yes before the question":     {one, "y\n", "n\n", prompt.ErrRefused},
		"yes twice before":            {one, "y\ny\n", "\n", prompt.ErrRefused},
		"no before the question":      {one, "n\n", "y\n", nil},
		"the number":                  {three, "", "3\n", nil},
		"y for several":               {three, "", "y\n", prompt.ErrRefused},
		"another number":              {three, "", "2\n", prompt.ErrRefused},
		"number before the question":  {three, "3\n", "\n", prompt.ErrRefused},
		"creating asks the same way":  {Question{Ask: "Create it?"}, "y\n", "n\n", prompt.ErrRefused},
		"creating, agreed afterwards": {Question{Ask: "Create it?"}, "n\n", "y\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			person := ptytest.New(t, tc.answer)
			if tc.ahead != "" {
				person.TypeAhead(tc.ahead)
			}
			a := NewFactory(Streams{In: person.Program, Err: person}, nil)
			if err := a.Prompter.Consent(t.Context(), tc.q); !errors.Is(err, tc.want) {
				t.Errorf("%v, want %v", err, tc.want)
			}
			lines := strings.Split(person.Shown(), "\n")
			last := lines[len(lines)-1]
			answers := "[y/N] "
			if tc.q.Count > 1 {
				answers = "Type 3 to go on: "
			}
			if last != string(tc.q.Ask)+" "+answers {
				t.Errorf("the question is not the last line:\n%s", person.Shown())
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
	program := ptytest.New(t, "").Program
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := NewFactory(Streams{In: program, Err: &bytes.Buffer{}}, nil)
	if err := a.Prompter.Confirm(ctx, "Really?"); ExitCode(err) != ExitInterrupted {
		t.Errorf("exit %d: %v", ExitCode(err), err)
	}
}

// TestConsentWithoutAsking: nobody is asked without a terminal or with --yes. What is typed then does not count.
func TestConsentWithoutAsking(t *testing.T) {
	program := ptytest.New(t, "").Program
	destroys := Destruction("stop", "Stop it?", "  a line")
	for name, tc := range map[string]struct {
		in   io.Reader
		yes  bool
		q    Question
		code int
	}{
		"creating without a terminal":          {strings.NewReader("n\n"), false, Question{Ask: "Create?"}, ExitDone},
		"creating with --yes":                  {program, true, Question{Ask: "Create?"}, ExitDone},
		"destroying without a terminal":        {strings.NewReader("n\n"), false, destroys, ExitUsage},
		"destroying, y in a pipe":              {strings.NewReader("y\n"), false, destroys, ExitUsage},
		"destroying with --yes":                {program, true, destroys, ExitDone},
		"destroying with --yes, no a terminal": {strings.NewReader(""), true, destroys, ExitDone},
	} {
		t.Run(name, func(t *testing.T) {
			var asked bytes.Buffer
			a := NewFactory(Streams{In: tc.in, Err: &asked}, nil)
			a.Prompter.Yes = tc.yes
			err := a.Prompter.Consent(t.Context(), tc.q)
			if ExitCode(err) != tc.code || asked.Len() > 0 {
				t.Errorf("exit %d, want %d: %v, asked %q", ExitCode(err), tc.code, err, asked.String())
			}
			if tc.code == ExitUsage && !strings.Contains(err.Error(), "hcctl stop needs --yes here") {
				t.Errorf("the error names no flag: %v", err)
			}
		})
	}
}

// TestAQuestionIsReadInFiveLines: where more is to say, the last line above the question says how much more there is.
func TestAQuestionIsReadInFiveLines(t *testing.T) {
	q := Question{Details: []Text{"  lost: all", "  a\n  b\n  c"}}
	if got := q.lines(); len(got) != 4 || got[3] != "  c" {
		t.Errorf("four lines: %q", got)
	}
	q.Details = append(q.Details, "  d", "  e")
	if got := q.lines(); len(got) != 4 || got[0] != "  lost: all" ||
		got[3] != "  and 3 more lines: the same command with --dry-run shows all" {
		t.Errorf("six lines: %q", got)
	}
}

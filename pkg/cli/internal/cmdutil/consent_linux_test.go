package cmdutil

import (
	"bytes"
	"context"
	"errors"
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
			a := &Factory{Streams: Streams{In: person.Program, Err: person}}
			if err := a.Consent(t.Context(), tc.q); !errors.Is(err, tc.want) {
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
	a := &Factory{Streams: Streams{In: program, Err: &bytes.Buffer{}}}
	if err := a.Confirm(ctx, "Really?"); ExitCode(err) != ExitInterrupted {
		t.Errorf("exit %d: %v", ExitCode(err), err)
	}
}

// TestConsentWithoutAsking: nobody is asked without a terminal or with --yes. What is typed then does not count.
func TestConsentWithoutAsking(t *testing.T) {
	program := ptytest.New(t, "").Program
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

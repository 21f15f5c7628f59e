package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/report"
)

// evil is a message that an operator, or who may write objects, has put into a cluster.
const evil = "fine\x1b[2J\x1b[H\r\nNAME ready\u202e\u009b"

func TestMessagesOfObjectsDoNothingToATerminal(t *testing.T) {
	kv := hosted("clusters", "kv-00", "4.20.3", available("False", evil))
	at := server(t, map[string]any{hostedPath: listOf("HostedCluster", kv), hostedPath + "/kv-00": kv}, nil)
	for _, args := range [][]string{{"get", "clusters"}, {"get", "clusters", "-o", "wide"}, {"status"},
		{"status", "kv-00"}, {"upgrade", "cluster", "kv-00"}} {
		_, out, errs := runOn(t, at, args...)
		for _, line := range strings.Split(out+errs, "\n") {
			if strings.IndexFunc(line, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) }) >= 0 ||
				strings.HasPrefix(line, "NAME ready") {
				t.Errorf("hcctl %v: the terminal gets %q", args, line)
			}
		}
		if args[0] == "status" && !strings.Contains(out+errs, `fine\x1b[2J`) {
			t.Errorf("hcctl %v does not show the message:\n%s%s", args, out, errs)
		}
	}
	// Documents for programs have the message as it is.
	if _, out, _ := runOn(t, at, "get", "clusters", "-o", "json"); !strings.Contains(out,
		`fine\u001b[2J\u001b[H\r\nNAME ready`) {
		t.Errorf("the document has another message:\n%s", out)
	}
}

func TestTellTakesOutControls(t *testing.T) {
	var out bytes.Buffer
	cmdutil.Tell(&out, "%s\n\tnext", "a\x1b[2J\u2066b")
	if got := out.String(); got != "a\\x1b[2J\\u2066b\n\tnext" {
		t.Errorf("got %q", got)
	}
}

// TestNotesTellNoSecret: what a server or a proxy says when it is away is told like all else, by a run's progress and
// without one.
func TestNotesTellNoSecret(t *testing.T) {
	const secret = "hunter2-of-a-proxy-9"
	redact.RememberValues(secret)
	var errs, shown bytes.Buffer
	a := cmdutil.NewFactory(cmdutil.Streams{Err: &errs}, nil)
	a.Notices.Away(errors.New("proxy said " + secret + "\x1b[2J"))
	a.Notices.Show(report.NewProgress(&shown, report.Screen{}))
	a.Notices.Away(errors.New("proxy said " + secret + "\x1b[2J"))
	for where, got := range map[string]string{"alone": errs.String(), "in a run": shown.String()} {
		if !strings.Contains(got, "roxy said") || strings.Contains(got, secret) || strings.Contains(got, "\x1b") {
			t.Errorf("%s: %q", where, got)
		}
	}
}

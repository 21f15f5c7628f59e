package status

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/report"
)

// TestABrokenOffLookIsNotShown: Ctrl-C in the middle of a look leaves the last whole one on the screen, for what was
// broken off would say that servers do not answer.
func TestABrokenOffLookIsNotShown(t *testing.T) {
	for name, redraws := range map[string]bool{"screen": true, "lines": false} {
		t.Run(name, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			var out bytes.Buffer
			w := &statusWatch{
				a: cmdutil.NewFactory(cmdutil.Streams{Out: &out, Err: &out}, nil),
				f: &statusFlags{timeout: time.Minute},
				t: &cmdutil.Target{},
				read: func(context.Context) ([]*status.Report, error) {
					interrupt()
					return []*status.Report{{Namespace: "clusters", Name: "kv-00", Message: "context canceled"}}, nil
				},
				render: func(w io.Writer, of []*status.Report, _ report.Screen) error {
					_, err := io.WriteString(w, of[0].Message)
					return err
				},
				last: map[string]string{}, rows: cmdutil.Table{W: &out},
			}
			if redraws {
				w.board = report.NewBoard(&out, report.Screen{Width: 80})
			}
			if err := w.once(ctx, true); !errors.Is(err, context.Canceled) || out.Len() > 0 {
				t.Errorf("%v, shown: %s", err, out.String())
			}
		})
	}
}

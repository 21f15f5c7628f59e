package cli

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// pressing is a screen on which somebody presses Ctrl-C once a text is shown.
type pressing struct {
	sync.Mutex
	shown bytes.Buffer
	text  string
	press context.CancelFunc
}

func (p *pressing) Write(b []byte) (int, error) {
	p.Lock()
	defer p.Unlock()
	n, err := p.shown.Write(b)
	if strings.Contains(p.shown.String(), p.text) {
		p.press()
	}
	return n, err
}

// TestCtrlCSaysThreeLines and none of the steps that it ended; credentials of the command line are not repeated.
func TestCtrlCSaysThreeLines(t *testing.T) {
	home(t, management(t).URL)
	world := plantedWorld(t, "")
	world.Config.Handler.(*hostileServer).lenient = true
	path := kubeconfigOf(t, world, "{token: some-other-token}")
	for command, at := range map[string]string{
		"wait cluster kv-00 --timeout 1h --token a-token": "kv-00",
		"wait cluster kv-00 --token=a-token -o json":      "",
		"kubeconfig kv-01 --wait --timeout 1h":            "kv-01",
		"dump kv-00 --artifact-dir it's":                  "Gathering",
		"check":                                           "",
	} {
		t.Run(command, func(t *testing.T) {
			t.Chdir(t.TempDir())
			ctx, press := context.WithCancel(t.Context())
			defer press()
			screen := &pressing{text: at, press: press}
			if at == "" {
				press() // before there is anything to see
			}
			args := strings.Fields(command)
			if args[0] == "wait" {
				t.Setenv("KUBECONFIG", path)
			}
			var out bytes.Buffer
			code := Main(ctx, args, cmdutil.Streams{In: strings.NewReader(""), Out: &out, Err: screen},
				func(string) string { return "" })
			_, last, found := strings.Cut("\n"+screen.shown.String(), "\nInterrupted")
			lines := strings.Split(strings.TrimSuffix(last, "\n"), "\n")
			if code != cmdutil.ExitInterrupted || !found || len(lines) != 3 {
				t.Fatalf("exit %d:\n%s", code, screen.shown.String())
			}
			again := strings.NewReplacer(" --token a-token", "", " --token=a-token", "", "it's", `'it'\''s'`).Replace(command)
			if lines[2] != "To continue: hcctl "+again {
				t.Errorf("how to go on is %q", lines[2])
			}
			if strings.Contains(screen.shown.String(), "a-token") || strings.Contains(out.String(), "a-token") {
				t.Errorf("the token is shown:\n%s", screen.shown.String())
			}
		})
	}
}

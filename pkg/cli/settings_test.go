package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/prereqs"
	"github.com/hcctl/hcctl/pkg/prereqs/ingress"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/prereqs/virtualization"
	"github.com/hcctl/hcctl/pkg/step"
)

// settingsOf are the settings that flags make of the defaults.
func settingsOf(t *testing.T, args ...string) config.Bootstrap {
	t.Helper()
	settings := config.Default()
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	cmdutil.BindFields(flags, config.Fields(), &settings, cmdutil.AsGiven)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return settings
}

func TestFlagsReachTheLibraryAndTheEngine(t *testing.T) {
	c, err := cmdutil.NewChoice(settingsOf(t, "--storage", "lvms", "--default-storage-class", "fast",
		"--virtualization-source", "community",
		"--load-balancer", "metallb", "--metallb-range", "10.0.0.0/28,10.0.1.0/28", "--metallb-range", "10.0.2.0/28",
		"--only", "storage", "--skip", "storage/cluster,ingress", "--timeout", "90m", "--parallel", "3"))
	if err != nil {
		t.Fatal(err)
	}
	want := prereqs.Options{
		Storage:        storage.Options{Mode: storage.ModeLVM, DefaultClass: "fast"},
		Virtualization: virtualization.Options{Source: "community"},
		LoadBalancer: loadbalancer.Options{Mode: loadbalancer.ModeMetalLB,
			MetalLBRanges: []string{"10.0.0.0/28", "10.0.1.0/28", "10.0.2.0/28"}},
	}
	if diff := cmp.Diff(want, c.Options()); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	var engine step.Options
	c.Shape(&engine)
	if engine.Timeout != 90*time.Minute || engine.Parallel != 3 {
		t.Errorf("engine: timeout %s, parallel %d", engine.Timeout, engine.Parallel)
	}
	if diff := cmp.Diff(map[step.ID]bool{storage.Cluster: true, ingress.Wildcard: true,
		ingress.DNS: true, "ingress/published": true}, engine.Skip); diff != "" {
		t.Errorf("skip (-want +got):\n%s", diff)
	}
}

func TestEveryFieldWithAFlagHasIt(t *testing.T) {
	settings := config.Default()
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	cmdutil.BindFields(flags, config.Fields(), &settings, cmdutil.AsGiven)
	described := map[string]bool{}
	for _, f := range config.Fields() {
		if f.Flag != "" {
			described[f.Flag] = true
		}
	}
	flags.VisitAll(func(f *pflag.Flag) {
		if !described[f.Name] {
			t.Errorf("--%s has no field in hcctl.yaml", f.Name)
		}
		delete(described, f.Name)
	})
	for name := range described {
		t.Errorf("hcctl.yaml has a field for --%s, which is no flag", name)
	}
}

func TestCompletion(t *testing.T) {
	for _, tc := range []struct{ flag, begun, want string }{
		{"--storage", "", "odf"},
		{"--load-balancer", "", "existing"},
		{"--only", "", "load-balancer"},
		{"--skip", "storage,", "storage,ingress/wildcard\twildcard routes"},
	} {
		code, stdout, _ := run(t, "__complete", "bootstrap", tc.flag, tc.begun)
		if code != cmdutil.ExitDone || !strings.Contains("\n"+stdout, "\n"+tc.want+"\n") {
			t.Errorf("%s %q: exit %d, want %q among:\n%s", tc.flag, tc.begun, code, tc.want, stdout)
		}
	}
}

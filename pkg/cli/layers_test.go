package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/config"
)

// layered brings together what the arguments, the environment and a file say to bootstrap, or to check.
func layered(t *testing.T, check bool, file string, env map[string]string, args ...string) (*cmdutil.Choice, error) {
	t.Helper()
	a := cmdutil.NewFactory(cmdutil.Streams{}, func(name string) string { return env[name] })
	s := &cmdutil.Settings{Flags: config.Default(), OwnTimeout: check}
	if check {
		s.Flags.Timeout = time.Minute
	}
	cmd := &cobra.Command{Use: "bootstrap"}
	s.Bind(cmd)
	cmd.Flags().BoolVarP(&a.Prompter.Yes, "yes", "y", false, "")
	if file != "" {
		path := filepath.Join(t.TempDir(), "hcctl.yaml")
		if err := os.WriteFile(path, []byte("apiVersion: hcctl.dev/v1alpha1\nkind: Bootstrap\n"+file), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "-f", path)
	}
	if err := cmd.Flags().Parse(args); err != nil {
		t.Fatal(err)
	}
	return s.Choose(cmd, a.Files, a.Getenv)
}

func TestFlagsWinOverEnvironmentOverFileOverDefaults(t *testing.T) {
	const file = `
storage: {mode: odf, defaultStorageClass: of-file}
loadBalancer: {metallbRanges: [10.0.0.0/28]}
skip: [ingress, cluster]
timeout: 3h
parallel: 3
`
	env := map[string]string{"HCCTL_STORAGE": "lvms", "HCCTL_METALLB_RANGE": "10.0.1.0/28,10.0.2.0/28",
		"HCCTL_TIMEOUT": "2h", "HCCTL_PARALLEL": "2", "HCCTL_SKIP": ""}
	type said struct {
		storage, class, ranges, skip string
		timeout                      time.Duration
		parallel                     int
	}
	for name, tc := range map[string]struct {
		check bool
		file  string
		env   map[string]string
		args  []string
		want  said
	}{
		"defaults":    {want: said{"auto", "", "", "", time.Hour, 0}},
		"file":        {file: file, want: said{"odf", "of-file", "10.0.0.0/28", "ingress cluster", 3 * time.Hour, 3}},
		"environment": {env: env, want: said{"lvms", "", "10.0.1.0/28 10.0.2.0/28", "", 2 * time.Hour, 2}},
		"environment over file": {file: file, env: env,
			want: said{"lvms", "of-file", "10.0.1.0/28 10.0.2.0/28", "ingress cluster", 2 * time.Hour, 2}},
		"flags over all": {file: file, env: env, args: []string{"--storage", "existing", "--metallb-range", "10.0.3.0/28",
			"--timeout", "1m", "--parallel", "1", "--skip", "hypershift"},
			want: said{"existing", "of-file", "10.0.3.0/28", "hypershift", time.Minute, 1}},
		"a flag that says the default": {file: file, args: []string{"--storage", "auto", "--parallel", "0"},
			want: said{"auto", "of-file", "10.0.0.0/28", "ingress cluster", 3 * time.Hour, 0}},
		"check has a time of its own": {check: true, file: file,
			want: said{"odf", "of-file", "10.0.0.0/28", "ingress cluster", time.Minute, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := layered(t, tc.check, tc.file, tc.env, tc.args...)
			if err != nil {
				t.Fatal(err)
			}
			got := said{string(c.Storage.Mode), c.Storage.DefaultStorageClass, strings.Join(c.LoadBalancer.MetalLBRanges, " "),
				strings.Join(c.Skip, " "), c.Timeout, c.Parallel}
			if got != tc.want {
				t.Errorf("got  %+v\nwant %+v", got, tc.want)
			}
		})
	}
}

func TestWhoeverSaidAWrongValueIsNamed(t *testing.T) {
	for name, tc := range map[string]struct {
		file string
		env  map[string]string
		args []string
		want string
	}{
		"flag":     {args: []string{"--storage", "x"}, want: `--storage "x": use one of`},
		"variable": {env: map[string]string{"HCCTL_STORAGE": "x"}, want: `HCCTL_STORAGE "x": use one of`},
		"variable, a time": {env: map[string]string{"HCCTL_TIMEOUT": "soon"},
			want: `HCCTL_TIMEOUT "soon": give a time with its unit, such as 30s, 90m or 1h30m`},
		"variable, a number": {env: map[string]string{"HCCTL_PARALLEL": "few"},
			want: `HCCTL_PARALLEL "few": give a whole number, such as 3`},
		"variable, yes": {env: map[string]string{"HCCTL_YES": "maybe"},
			want: `HCCTL_YES "maybe": give true or false`},
		"variable, a step": {env: map[string]string{"HCCTL_ONLY": "storage,foo"}, want: `HCCTL_ONLY: "foo" is neither`},
		"file":             {file: "parallel: -1\n", want: `hcctl.yaml:3: parallel -1: it cannot be negative`},
		"flag over file": {file: "parallel: 1\n", args: []string{"--parallel", "-1"},
			want: `--parallel -1: it cannot be negative`},
		"variable over file": {file: "parallel: 1\n", env: map[string]string{"HCCTL_PARALLEL": "-1"},
			want: `HCCTL_PARALLEL -1: it cannot be negative`},
		"file, a type": {file: "parallel: few\n", want: `hcctl.yaml:3: parallel is "few"`},
		"no such file": {env: map[string]string{"HCCTL_FILE": "absent.yaml"},
			want: "HCCTL_FILE: cannot read it: open absent.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := layered(t, false, tc.file, tc.env, tc.args...)
			if err == nil || cmdutil.ExitCode(err) != cmdutil.ExitUsage ||
				!strings.HasPrefix(filepath.Base(err.Error()), filepath.Base(tc.want)) && !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("exit %d: %v\nwant %s", cmdutil.ExitCode(err), err, tc.want)
			}
		})
	}
}

func TestAWrongVariableOfAFlagThatIsGivenDoesNotMatter(t *testing.T) {
	if _, err := layered(t, false, "", map[string]string{"HCCTL_STORAGE": "x"}, "--storage", "odf"); err != nil {
		t.Error(err)
	}
}

func TestFileFromStandardInput(t *testing.T) {
	a := cmdutil.NewFactory(cmdutil.Streams{In: strings.NewReader("apiVersion: hcctl.dev/v1alpha1\nkind: Bootstrap\nparallel: " +
		"7\nvirtualization: {manifests: dir}\n")}, func(string) string { return "" })
	f, err := cmdutil.SettingsFile(a.Files, "--file", "-")
	if err != nil || f.Parallel != 7 || f.Virtualization.Manifests != "dir" {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestConfigCommands(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hcctl.yaml")
	if code, stdout, stderr := run(t, "config", "init", path); code != cmdutil.ExitDone || stdout != "" ||
		!strings.Contains(stderr, "Next: hcctl config validate -f "+path) {
		t.Errorf("init FILE: exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if code, stdout, _ := run(t, "config", "validate", "-f", path); code != cmdutil.ExitDone ||
		stdout != path+" is valid\n" {
		t.Errorf("validate what init wrote: exit %d, stdout %q", code, stdout)
	}
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := run(t, "config", "init", path)
	if data, err := os.ReadFile(path); code != cmdutil.ExitUsage || !strings.Contains(stderr, "never overwritten") ||
		err != nil || string(data) != "mine" {
		t.Errorf("init over a file: exit %d, %s; the file holds %q (%v)", code, stderr, data, err)
	}
	if code, stdout, _ := run(t, "config", "init"); code != cmdutil.ExitDone || stdout != string(config.Initial()) {
		t.Errorf("init: exit %d, stdout %q", code, stdout)
	}
	if code, _, stderr := run(t, "config", "validate", "-f", path); code != cmdutil.ExitUsage ||
		!strings.Contains(stderr, path+":1: holds") {
		t.Errorf("validate: exit %d, %s", code, stderr)
	}
	if code, stdout, _ := run(t, "config", "schema"); code != cmdutil.ExitDone ||
		!strings.Contains(stdout, `"additionalProperties": false`) {
		t.Errorf("schema: exit %d, %s", code, stdout)
	}
}

func TestTheTopicEnvironmentNamesEveryVariable(t *testing.T) {
	_, stdout, _ := run(t, "environment")
	for _, want := range []string{"HCCTL_METALLB_RANGE ", "HCCTL_STORAGE ", "HCCTL_YES ", "HCCTL_FILE ", "HCCTL_OUTPUT ",
		"KUBECONFIG ", "HCCTL_HOSTED_CLUSTER ", "No other command has such variables"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %sin:\n%s", want, stdout)
		}
	}
	for _, line := range strings.Split(stdout, "\n") {
		if strings.HasPrefix(line, "  ") && (len(line) < 36 || line[33:35] != "  " || line[35] == ' ') {
			t.Errorf("the text does not begin in column 36: %q", line)
		}
	}
}

// A file that hcctl.yaml names is below its own directory; a flag names any.
func TestSettingsNameFilesOfTheirDirectory(t *testing.T) {
	elsewhere := filepath.Join(t.TempDir(), "plan.json")
	if err := os.WriteFile(elsewhere, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	const outside = "is outside of the directory"
	for file, flag := range map[string]string{
		"virtualization: {manifests: " + filepath.Dir(elsewhere) + "}\n": "virtualization-manifests",
		"virtualization: {manifests: ../..}\n":                           "virtualization-manifests",
		"mirrors: {resources: ../..}\n":                                  "mirror-resources",
		"storage: {disks: {agreed: [" + elsewhere + "]}}\n":              "disks",
		"storage: {disks: {agreed: [../../plan.json]}}\n":                "disks",
	} {
		_, err := layered(t, false, file, nil)
		if err == nil || !strings.Contains(err.Error(), outside) {
			t.Errorf("%s: got %v", file, err)
		}
		if _, err := layered(t, false, file, nil, "--"+flag, elsewhere); err != nil && strings.Contains(err.Error(), outside) {
			t.Errorf("--%s: %v", flag, err)
		}
	}
}

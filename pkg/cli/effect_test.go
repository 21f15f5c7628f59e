package cli

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// flagEffect says of a flag with which others it has no effect, which is wrong usage.
type flagEffect struct {
	// value is the flag with a value, without the dashes.
	value string
	// idle are other flags with each of which it has none; the error names the flag and the first one of these.
	idle []string
	// with are flags that it needs; without them it has no effect. The error names one of them.
	with string
	// always is why it has an effect with all others, or does no harm.
	always string
}

const (
	// ofTheRun is why a plan takes the flags of the run: it is made by adding --dry-run to that command line.
	ofTheRun  = "it is about the run, and a plan or a rendering is asked for by the command line of its run"
	inObjects = "it is written into the objects, as the golden file of its example shows"
)

// beside are the flags that are no fields of a file.
var beside = map[string]map[string]flagEffect{
	"bootstrap": {
		"file":   {always: "the other settings are in it"},
		"yes":    {always: ofTheRun},
		"output": {value: "output json", idle: []string{"--render x"}}, "dry-run": {value: "dry-run", idle: []string{"--render x"}},
		"render": {value: "render x", idle: []string{"--dry-run", "--output json"}},
		"hub":    {value: "hub", with: "--manifests"}, "manifests": {value: "manifests x", with: "--hub"},
		"placement": {value: "placement a/b", with: "--hub"}, "site": {value: "site a=b", with: "--hub"},
		"only":    {value: "only ingress", idle: []string{"--hub"}},
		"timeout": {always: ofTheRun}, "trouble-timeout": {always: ofTheRun}, "parallel": {always: ofTheRun},
	},
	"create cluster --name kv-00": {
		"name": {always: "the cluster's name"}, "file": {always: "the other options are in it"},
		"wait": {always: ofTheRun}, "timeout": {always: ofTheRun}, "trouble-timeout": {always: ofTheRun},
		"yes": {always: ofTheRun}, "skip-preflight": {always: ofTheRun}, "cleanup-on-failure": {always: ofTheRun},
		"wait-for-capacity": {always: ofTheRun}, "exact": {always: ofTheRun}, "max-clusters": {always: ofTheRun},
		"stable-for":       {value: "stable-for 1s", with: "--wait"},
		"allow-files-from": {value: "allow-files-from x", with: "--file"},
		"allow-kind":       {value: "allow-kind Role", with: "--manifests"},
		"save-config":      {value: "save-config x", idle: []string{"--dry-run", "--render", "--render-into y", "--output json"}},
		"output":           {value: "output json", idle: []string{"--render", "--render-into y", "--save-config x"}},
		"dry-run":          {value: "dry-run", idle: []string{"--render", "--render-into y", "--save-config x"}},
		"render":           {value: "render", idle: []string{"--dry-run", "--save-config x"}},
		"render-into":      {value: "render-into x", idle: []string{"--dry-run", "--save-config x"}},
		"render-sensitive": {value: "render-sensitive", with: "--render"},
		"probe":            {value: "probe", idle: []string{"--dry-run", "--render", "--render-into y", "--save-config x"}},
		"probe-timeout":    {value: "probe-timeout 1m", with: "--probe"},
		"probe-image":      {value: "probe-image a/b:1", with: "--probe"},
		"probe-latency":    {value: "probe-latency", with: "--probe"},
	},
	"create nodepool a --cluster-name kv-00": {
		"name": {always: "the pool's name"}, "cluster-name": {always: "the pool's cluster"},
		"wait": {always: ofTheRun}, "timeout": {always: ofTheRun}, "trouble-timeout": {always: ofTheRun},
		"yes": {always: ofTheRun}, "exact": {always: ofTheRun},
		"render": {value: "render", idle: []string{"--dry-run", "--output json"}},
		"output": {value: "output json", idle: []string{"--render"}}, "dry-run": {value: "dry-run", idle: []string{"--render"}},
	},
}

// bootstrapIdle are the fields of hcctl.yaml, by the beginning of their names; the longest counts.
var bootstrapIdle = map[string][]string{
	"storage.mode":                {"--only ingress", "--skip storage"},
	"storage.defaultStorageClass": {"--storage none", "--only ingress", "--skip storage"},
	"storage.grow":                {"--storage none", "--storage existing", "--only ingress", "--skip storage"},
	"storage.hostPath":            {"--storage none", "--storage existing", "--storage odf", "--storage lvms"},
	"storage.disks.":              {"--storage none", "--storage existing", "--only ingress,cluster", "--skip storage,ingress"},
	"storage.dataFoundation.":     {"--storage none", "--storage existing", "--storage lvms", "--only load-balancer/pool", "--skip storage"},
	"virtualization.source":       {"--virtualization-manifests x", "--only storage", "--skip virtualization"},
	"virtualization.manifests":    {"--skip virtualization,cluster"},
	"loadBalancer.mode":           {"--only storage", "--skip load-balancer"},
	"loadBalancer.metallbRanges":  {"--load-balancer none", "--load-balancer existing", "--only storage", "--skip load-balancer"},
	"multicluster.":               {"--only storage", "--skip multicluster,hypershift"},
	"mirrors.":                    {"--skip cluster"},
	"approval":                    {"--only ingress", "--skip storage,virtualization,load-balancer,multicluster"},
	"with":                        {"--only ingress", "--skip gitops"},
	"takeOver":                    {"--only storage", "--skip ingress"},
	"skip":                        {"--only storage"},
}

// bootstrapValues are values beside the fields' examples, where these are the defaults or need another one.
var bootstrapValues = map[string]string{"virtualization-source": "community", "virtualization-manifests": "testdata",
	"mirror-resources": "testdata",
	"skip":             "ingress"}

// fieldEffects are the rows of the fields of a command's file.
func fieldEffects(command string) map[string]flagEffect {
	rows := map[string]flagEffect{}
	if command == "bootstrap" {
		for _, f := range config.Fields() {
			longest := ""
			for name := range bootstrapIdle {
				if (f.Name == name || strings.HasSuffix(name, ".") && strings.HasPrefix(f.Name, name)) && len(name) > len(longest) {
					longest = name
				}
			}
			if value := f.Example; f.Flag != "" && longest != "" {
				if other := bootstrapValues[f.Flag]; other != "" {
					value = other
				}
				rows[f.Flag] = flagEffect{value: f.Flag + "=" + value, idle: bootstrapIdle[longest]}
			}
		}
		return rows
	}
	fields, named := options.NodePoolFields(), cmdutil.AsGiven
	if strings.HasPrefix(command, "create cluster") {
		fields = append(options.Fields(), options.FirstPoolFields()...)
	}
	for i, f := range fields {
		if strings.HasPrefix(command, "create cluster") && i >= len(options.Fields()) {
			named = options.ClusterFlag
		}
		row := flagEffect{value: named(f.Flag) + "=" + f.Example, with: f.With}
		if _, helps := helpsOnly[f.Flag]; f.With == "" || helps {
			row = flagEffect{always: inObjects}
		}
		if f.Flag == "replicas" {
			row = flagEffect{value: named(f.Flag) + "=3", idle: []string{"--max-replicas 5"}}
		}
		rows[named(f.Flag)] = row
	}
	return rows
}

// helpsOnly are the flags whose example has others that it does not need.
var helpsOnly = map[string]string{
	"service-publishing-strategy": "node ports have the address of a node unless another is given",
	"oidc-issuer":                 "a provider needs its client, which the error asks for",
}

// TestAFlagWithoutEffectIsWrongUsage goes through all flags of these commands: each has a row, and with the flags of
// its row one error names both.
func TestAFlagWithoutEffectIsWrongUsage(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../hostedcluster/options/testdata/examples")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for command, rows := range beside {
		cmd, _, err := newRoot(cmdutil.NewFactory(cmdutil.Streams{}, nil)).
			Find(strings.Fields(command))
		if err != nil {
			t.Fatal(err)
		}
		fields := fieldEffects(command)
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { holdEffect(t, command, cmd, f, rows, fields) })
		for name := range rows {
			if cmd.Flags().Lookup(name) == nil {
				t.Errorf("hcctl %s has no --%s any more", command, name)
			}
		}
	}
}

// holdEffect runs the command with what a flag has no effect with.
func holdEffect(t *testing.T, command string, cmd *cobra.Command, f *pflag.Flag, rows, fields map[string]flagEffect) {
	t.Helper()
	row, known := rows[f.Name]
	if !known {
		row, known = fields[f.Name]
	}
	switch {
	case f.Name == "help" || f.Hidden && !known:
		return
	case !known:
		t.Errorf("hcctl %s --%s: say in %s's table with which flags it has no effect", command, f.Name, cmd.Name())
		return
	case (row.always != "") == (len(row.idle) > 0 || row.with != ""):
		t.Errorf("hcctl %s --%s: its row says nothing, or both", command, f.Name)
	}
	calls := map[string][]string{} // by the line, what the error names
	for _, idle := range row.idle {
		calls[command+" --"+row.value+" "+idle] = []string{strings.Fields(idle)[0]}
	}
	if row.with != "" {
		for _, word := range strings.Fields(row.with) {
			if strings.HasPrefix(word, "--") {
				calls[command+" --"+row.value] = append(calls[command+" --"+row.value], word)
			}
		}
	}
	for line, names := range calls {
		code, _, stderr := run(t, strings.Fields(line)...)
		said := strings.Split(stderr, "\n")[0]
		named := false
		for _, name := range names {
			named = named || strings.Contains(said, name)
		}
		if code != cmdutil.ExitUsage || !strings.Contains(said, "--"+f.Name) || !named {
			t.Errorf("hcctl %s: exit %d, want %d and an error about --%s and %s:\n%s", line, code, cmdutil.ExitUsage, f.Name,
				strings.Join(names, " or "), stderr)
		}
	}
}

// TestAFlagWithEffectIsTaken: what is chosen, needed or the default refuses nothing.
func TestAFlagWithEffectIsTaken(t *testing.T) {
	for _, line := range []string{
		"bootstrap --only storage --disk-take a --storage lvms", "bootstrap --host-path /var/a --storage hostpath", "bootstrap --only storage/local-volumes --disk-take a",
		"bootstrap --only load-balancer/operator --approval manual", "bootstrap --only load-balancer --metallb-range 10.0.0.0/28",
		"bootstrap --only storage,load-balancer --skip storage --metallb-range 10.0.0.0/28",
		"bootstrap --skip cluster/nodes --disk-media any --odf-spread nodes", "bootstrap --only gitops --with gitops",
		"bootstrap --only hypershift --enable-component hypershift", "bootstrap --only ingress --take-over ingress/wildcard",
		"bootstrap --only storage --skip storage/etcd", "bootstrap --only virtualization --skip cluster/topology",
	} {
		if code, _, stderr := run(t, strings.Fields(line)...); code == cmdutil.ExitUsage {
			t.Errorf("hcctl %s: exit %d\n%s", line, code, stderr)
		}
	}
}

// TestAFileMaySayMore: a file and the environment describe a whole site, and are used for a part of it. What is typed
// beside them is refused, by the name of what it has no effect with.
func TestAFileMaySayMore(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	file := filepath.Join(t.TempDir(), "hcctl.yaml")
	const content = "apiVersion: hcctl.dev/v1alpha1\nkind: Bootstrap\nstorage: {mode: none, disks: {take: [a]}}\nskip: [ingress]\n"
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ line, env, want string }{
		{"bootstrap -f FILE --only load-balancer", "", ""},
		{"bootstrap -f FILE", "HCCTL_DISK_LEAVE", ""},
		{"bootstrap --storage none", "HCCTL_DISK_TAKE", ""},
		{"bootstrap --only load-balancer", "HCCTL_ODF_SPREAD=nodes", ""},
		{"bootstrap -f FILE --disk-leave b", "", "--disk-leave: has no effect with storage.mode none of the file"},
		{"bootstrap -f FILE --take-over ingress/wildcard", "", "--take-over: has no effect with skip ingress of the file"},
		{"bootstrap --disk-take a", "HCCTL_STORAGE=none", "--disk-take: has no effect with HCCTL_STORAGE none"},
		{"bootstrap --disk-take a --only ingress,load-balancer", "", "--disk-take: has no effect with --only ingress,load-balancer"},
	} {
		name, value, _ := strings.Cut(tc.env, "=")
		var errs bytes.Buffer
		code := Main(t.Context(), strings.Fields(strings.ReplaceAll(tc.line, "FILE", file)),
			cmdutil.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &errs}, func(variable string) string {
				if variable == name {
					return cmp.Or(value, "a")
				}
				return ""
			})
		if (code == cmdutil.ExitUsage) != (tc.want != "") || !strings.Contains(errs.String(), tc.want) {
			t.Errorf("%s hcctl %s: exit %d, want %q:\n%s", tc.env, tc.line, code, tc.want, errs.String())
		}
	}
}

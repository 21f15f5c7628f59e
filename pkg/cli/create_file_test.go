package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/pkg/cli/create"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// flagsOf are the options that flags of create cluster say.
func flagsOf(t *testing.T, args ...string) (create.Flags, options.Cluster, *pflag.FlagSet) {
	t.Helper()
	o, c, cmd := options.Defaults(), create.Flags{}, &cobra.Command{}
	f := cmd.Flags()
	c.Bind(cmd, cmdutil.NewFactory(cmdutil.Streams{}, nil), &o)
	if err := f.Parse(args); err != nil {
		t.Fatal(err)
	}
	return c, o, f
}

// sample is a value of a flag to try it with.
func sample(f options.Field, kind string) string {
	switch {
	case f.Example != "":
		return f.Example
	case len(f.Values) > 0:
		return f.Values[len(f.Values)-1]
	}
	return map[string]string{"bool": "true", "int32": "7", "duration": "90m", "stringToString": "a=b,c=d",
		"key=value": "a=b,c"}[kind] + map[string]string{"file": "some/file", "string": "x"}[kind]
}

func TestEveryFlagHasTheSamePlaceInADocument(t *testing.T) {
	tried := 0
	for _, table := range []struct {
		fields []options.Field
		named  func(string) string
	}{{options.Fields(), cmdutil.AsGiven}, {options.FirstPoolFields(), options.ClusterFlag}} {
		for _, field := range table.fields {
			_, _, f := flagsOf(t)
			flag := f.Lookup(table.named(field.Flag))
			if field.Flag == "" || flag == nil {
				continue
			}
			tried++
			_, o, _ := flagsOf(t, "--name", "kv-00", "--"+flag.Name+"="+sample(field, flag.Value.Type()))
			data, err := config.WriteCluster(o, ".")
			if err != nil {
				t.Fatal(err)
			}
			c, err := config.ParseCluster("kv.yaml", ".", data)
			if err != nil {
				t.Fatalf("--%s: %v\n%s", flag.Name, err, data)
			}
			if diff := cmp.Diff(o, c.Options, cmpopts.EquateEmpty(),
				cmpopts.IgnoreFields(options.Services{}, "Listed"), cmpopts.IgnoreFields(options.File{}, "Directory")); diff != "" {
				t.Errorf("--%s (-flags +document):\n%s\n%s", flag.Name, diff, data)
			}
			if !bytes.Contains(data, []byte(field.Name[strings.LastIndex(field.Name, ".")+1:]+":")) &&
				!cmp.Equal(o, named("kv-00"), cmpopts.EquateEmpty()) {
				t.Errorf("--%s is not in the document:\n%s", flag.Name, data)
			}
		}
	}
	if tried < 9 {
		t.Errorf("only %d flags were tried", tried)
	}
}

// named are the options of which only the name is given.
func named(name string) options.Cluster {
	o := options.Defaults()
	o.Name = name
	return o
}

// written is a file with a Cluster document.
func written(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kv.yaml")
	if err := os.WriteFile(path, []byte("apiVersion: hcctl.dev/v1alpha1\nkind: Cluster\n"+body), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFlagsWinOverTheClusterFile(t *testing.T) {
	path := written(t, "metadata: {name: kv-00, namespace: lab}\nspec:\n  baseDomain: example.com\n  etcdStorageClass: "+
		"fast\n  nodePools: [{memory: 32Gi, cores: 8}]\n")
	c, flags, f := flagsOf(t, "-f", path, "--etcd-storage-class", "slow", "--memory", "8Gi", "--node-pool-replicas", "5",
		"--wait", "api")
	a := cmdutil.NewFactory(cmdutil.Streams{}, nil)
	o, err := c.Validated(a, flags, f)
	if err != nil {
		t.Fatal(err)
	}
	want := named("kv-00")
	want.Namespace, want.BaseDomain, want.EtcdStorageClass, want.Wait = "lab", "example.com", "slow", options.WaitAPI
	want.Pool().Memory, want.Pool().Cores, want.Pool().Replicas = "8Gi", 8, 5
	if diff := cmp.Diff(want, o.Given()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	a.Call.KubeFlags.Overrides.Context.Namespace = "other"
	if o, err = c.Validated(a, flags, f); err != nil || o.Namespace != "other" {
		t.Errorf("namespace %q (%v), want that of the flag", o.Namespace, err)
	}
}

func TestWrongInTheFileNamesTheLineAndWrongFlagsTheFlag(t *testing.T) {
	const head = "metadata: {name: kv-00}\nspec:\n"
	for name, tc := range map[string]struct {
		body string
		args []string
		want string
	}{
		"value": {head + "  nodePools: [{memory: 1Gi}]\n", nil,
			`kv.yaml:5: spec.nodePools[0].memory "1Gi": too little`},
		"flag": {head, []string{"--memory", "1Gi"}, `--memory "1Gi": too little`},
		"flag over the file": {head + "  nodePools: [{memory: 8Gi}]\n", []string{"--memory", "1Gi"},
			`--memory "1Gi": too little`},
		"no such file": {head + "  pullSecret: absent.json\n", nil, "kv.yaml:5: spec.pullSecret: cannot read it: open "},
		"no name":      {"spec: {}\n", nil, "kv.yaml:1: metadata.name: a name is needed"},
		"several pools": {head + "  nodePools: [{name: a}, {name: b}]\n", []string{"--node-pool-replicas", "3"},
			"--node-pool-replicas: which pool? the file has 2 of them"},
		"unknown": {head + "  memory: 8Gi\n", nil, "kv.yaml:5: spec.memory is not a field; did you mean " +
			"spec.nodePools[].memory?"},
	} {
		t.Run(name, func(t *testing.T) {
			c, flags, f := flagsOf(t, append(tc.args, "-f", written(t, tc.body))...)
			_, err := c.Validated(cmdutil.NewFactory(cmdutil.Streams{}, nil), flags, f)
			err = cmdutil.NameFlags(err)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v\nwant %s", err, tc.want)
			}
			if cmdutil.ExitCode(cmdutil.Misuse(tree(), err)) != cmdutil.ExitUsage {
				t.Errorf("exit code %d", cmdutil.ExitCode(err))
			}
		})
	}
}

func TestEveryWrongLineIsTold(t *testing.T) {
	c, flags, f := flagsOf(t, "-f", written(t, "metadata: {name: kv-00}\nspec:\n  baseDomain: -x\n  nodePools:\n  - "+
		"memory: 1Gi\n    cores: 0\n"))
	_, err := c.Validated(cmdutil.NewFactory(cmdutil.Streams{}, nil), flags, f)
	err = cmdutil.NameFlags(err)
	if err == nil || strings.Count(err.Error(), "kv.yaml:") != 3 {
		t.Errorf("got %v, want three lines", err)
	}
}

func TestSaveConfigNeverOverwrites(t *testing.T) {
	path := written(t, "metadata: {name: kv-00}\n")
	a := cmdutil.NewFactory(cmdutil.Streams{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}, nil)
	if err := create.SaveConfig(a, path, named("x")); err == nil || !strings.Contains(err.Error(), "never overwritten") {
		t.Errorf("got %v", err)
	}
	fresh := filepath.Join(t.TempDir(), "new.yaml")
	if err := create.SaveConfig(a, fresh, named("x")); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(fresh); err != nil ||
		string(data) != "apiVersion: hcctl.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: x\n" {
		t.Errorf("%s (%v)", data, err)
	}
}

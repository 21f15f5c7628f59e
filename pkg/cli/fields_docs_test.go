package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/golden"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// page compares a page of docs with what it has to be. make update writes it.
func page(t *testing.T, name, want string) {
	t.Helper()
	golden.File(t, filepath.Join("..", "..", "docs", name), want)
}

// TestClusterOptionsDocument holds docs/cluster.md to the tables of fields.
func TestClusterOptionsDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Options of a hosted cluster

    hcctl create cluster --name kv-00 --node-pool-replicas 3 --memory 16Gi --cores 4
    hcctl create cluster --name kv-00 --save-config kv-00.yaml      # the same as a file

Each is a flag of ` + "`hcctl create cluster`" +
		` and a field of a [Cluster file](configuration.md); those of a node pool are also flags of
` + "`hcctl create nodepool`" +
		` and stand under nodePools in the file. What the example of each changes in the objects is in
pkg/hostedcluster/objects/testdata/flags. How they differ from those of the vendor's CLIs: [hcp.md](hcp.md).

[preflight.md](preflight.md) says what hcctl checks before it writes anything, and how to leave out a check. ` +
		"`--skip-preflight all`" + ` leaves out all of them,
and also whether the name of a new cluster is free, and the dry runs of its HostedCluster and node pools. A mistake then shows late: when the namespace and the
Secrets are already written, or in the operator's words.

A new cluster's Secrets, ConfigMaps and pool of addresses have names that follow from the cluster's. If an object of such a name exists,
create stops before it writes anything, and names it and who wrote it. A key for etcd that somebody else has written is known to somebody else. ` +
		"`--adopt-existing`" + ` uses
what exists, as it is; hcctl leaves it when the cluster is deleted. If you run a create again that was interrupted, it continues with what the first one wrote, and says so
("Continues an earlier create"). hcctl knows its own objects by their [marks](delete.md#marks) and, where it can, by their content. etcd's key is random, so it
has only the marks, which a user who may write Secrets in the namespace can forge. hcctl makes no new key, because another create may be about to use this one.
If you did not interrupt a create, delete what hcctl says it continues.

make update writes this page.
`)
	o := options.Defaults()
	optionsTable(&b, "The cluster", options.Fields(), reflect.ValueOf(&o).Elem(), cmdutil.AsGiven)
	optionsTable(&b, "Its node pools", options.NodePoolFields(), reflect.ValueOf(o.Pool()).Elem(), options.ClusterFlag)
	changesTable(&b, options.Fields())
	page(t, "cluster.md", b.String())
}

// changesTable says what can be changed later, and what comes of it.
func changesTable(b *strings.Builder, fields []options.Field) {
	b.WriteString(`
## What can be changed later

` + "`hcctl update cluster NAME`" + ` changes what HyperShift allows to be changed, with the flags of create; for any other flag of create it says why not and
what changes it instead: an upgrade, a pause, a node pool, a Secret, or nothing, because a rule of the HostedCluster's CRD forbids it. ` +
		"`create cluster`" + ` leaves what exists
as it is, and warns of a difference with the command that would change it.

| flag | what a change sets off |
| --- | --- |
`)
	words := map[option.Effect]string{option.RestartsNothing: "nothing is restarted",
		option.RestartsControlPlane: "pods of the control plane are restarted",
		option.ReplacesNodes:        "the nodes of every node pool are replaced, pods of the control plane are restarted"}
	for _, f := range option.Updatable(fields) {
		fmt.Fprintf(b, "| `--%s` | %s |\n", f.Flag, words[f.Effect])
	}
}

func optionsTable(b *strings.Builder, title string, fields []options.Field, defaults reflect.Value,
	named func(string) string) {
	fmt.Fprintf(b, "\n## %s\n\n| flag | field | what it is | writes | default | example |\n| --- | --- | --- | --- | --- "+
		"| --- |\n", title)
	for _, f := range fields {
		flag := "in a file only"
		switch {
		case f.PoolOnly:
			flag = "`--" + f.Flag + "` of create nodepool"
		case f.Flag != "":
			flag = "`--" + named(f.Flag) + "`"
		}
		text := f.Text
		if len(f.Values) > 0 {
			text += " (" + strings.Join(f.Values, ", ") + ")"
		}
		if f.Needs != "" {
			text += "; " + f.NeedsEngine("")
		}
		example := ""
		if f.Example != "" {
			example = "`" + strings.TrimSpace(f.Example+" "+f.With) + "`"
		}
		cells := []string{flag, "`" + f.Name + "`", text, f.Writes, defaultOf(option.At(defaults, f.Name)), example}
		for i, c := range cells {
			cells[i] = strings.NewReplacer("|", `\|`, "<", `\<`, "*", `\*`).Replace(c)
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
}

// defaultOf is the value of an option as it is given on the command line; nothing where it is zero.
func defaultOf(v reflect.Value) string {
	switch value := v.Interface().(type) {
	case options.List:
		return strings.Join(value, ",")
	case time.Duration:
		return value.String()
	}
	if v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 {
		return ""
	}
	return fmt.Sprint(v.Interface())
}

// vendorFlags returns the flags of a command of hcp and hypershift, of every version that was read.
func vendorFlags(t *testing.T, command string) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "contracts", "hcp", "flags.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var flags []string
	for line := range strings.Lines(string(content)) {
		if cells := strings.Split(line, "\t"); len(cells) == 3 && cells[0] == command {
			flags = append(flags, cells[1])
		}
	}
	if len(flags) == 0 {
		t.Fatalf("no flags of hcp %s", command)
	}
	return flags
}

// notTaken are the vendor's flags that hcctl does not have, and why.
func notTaken() map[string]string {
	return map[string]string{
		"default-dual":  "means something for agents only; use --cluster-cidr and --service-cidr twice",
		"infra-json":    "KubeVirt has no infrastructure to describe; the vendor's CLI ignores it",
		"version-check": "hcctl is not tied to a version of the operator; it looks at what the cluster's CRDs take",
	}
}

// differing are flags that the vendor's CLIs have, with what hcctl makes of them.
func differing() map[string]string {
	return map[string]string{
		"wait":    "none, api, nodes or complete; there it is on or off",
		"timeout": "30 minutes unless given; there it is without limit",
		"memory": "8Gi unless given, the CRD's default; there it is 4Gi. Less than 2Gi is " +
			"refused; there 1 is one byte",
		"node-pool-replicas":          "2 unless given; there it is 0, and less than 0 makes no pool",
		"labels":                      "the NodePools get them, too",
		"pull-secret":                 "the management cluster's own unless given, and its content is checked",
		"host-device-name":            "one device unless counted; there it is dropped",
		"network-multiqueue":          "Disable is written; there it is dropped",
		"root-volume-access-modes":    "checked; there only the API server does",
		"additional-network":          "its form is checked",
		"pausedUntil":                 "true pauses the HostedCluster as well as the NodePools; there only the latter",
		"infra-storage-class-mapping": "unknown options are errors; there they are ignored or panic",
		"infra-volumesnapshot-class-mapping": "needs a StorageClass mapping; there the hosted cluster ends up without a " +
			"StorageClass",
		"additional-trust-bundle": "a ConfigMap for each cluster, NAME-user-ca-bundle; there two clusters of a namespace " +
			"overwrite each other's",
		"external-dns-domain": "gives each service its host name, as the vendor's CLI does on AWS; there on KubeVirt the " +
			"cluster never comes up",
		"base-domain-prefix":  "written; there it is dropped on KubeVirt. It needs --base-domain",
		"arch":                "amd64 and s390x; there arm64 and ppc64le are taken and fail later",
		"toleration":          "what the API server would refuse is refused",
		"etcd-storage-size":   "less than 1Gi is refused",
		"allocate-node-cidrs": "an error where the operator's CRD does not have the field; there it is dropped",
		"ovn-kubernetes-mtu":  "an error where the operator's CRD does not have the field; there it is dropped",
		"release-stream": "versions are compared as versions; there by whether one is written within the other. The " +
			"release is written by its digest, and only one of quay.io/openshift-release-dev/ocp-release is taken",
		"service-cidr":          "overlaps are early errors",
		"cluster-cidr":          "overlaps are early errors",
		"machine-cidr":          "overlaps are early errors",
		"infra-kubeconfig-file": "has to be a kubeconfig that names no files",
		"render":                "validates all that needs no cluster",
	}
}

// TestVendorFlagsDocument holds docs/hcp.md and the claim behind it: each flag of the vendor's CLIs is there under its
// name, or the page says why not.
func TestVendorFlagsDocument(t *testing.T) {
	create, _, err := tree().Find([]string{"create", "cluster"})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(`# Coming from hcp or hypershift

    hcctl create cluster --name kv-00 --node-pool-replicas 2 --memory 8Gi --cores 2 --pull-secret pull.json

Flags of the vendor's CLIs, ` + "`hcp` and `hypershift`" + `, on KubeVirt, and what they are in hcctl. They are read from the source of
HyperShift v0.1.70 and v0.1.81, and compared with what hcp says of itself (contracts/hcp/flags.tsv, ` + "`make test-comparison`" + `).
[comparison.md](comparison.md) has the two side by side, with figures.

## hcp create cluster kubevirt

Here: ` + "`hcctl create cluster`" + `. Flags of the same name do the same, except as said here. ` + "`make test-comparison`" + ` renders a cluster by both
with each flag; hack/comparison/testdata/render.txt has the objects that differ. [cluster.md](cluster.md) has all options, those that the vendor's
CLIs do not have among them.

make update writes this page.

| theirs | here | |
| --- | --- | --- |
`)
	for _, flag := range vendorFlags(t, "create cluster kubevirt") {
		here := "`--" + flag + "`"
		if !takes(create, flag) {
			here = "not taken"
			if notTaken()[flag] == "" {
				t.Errorf("--%s is neither taken nor explained", flag)
			}
		} else if notTaken()[flag] != "" {
			t.Errorf("--%s is taken, but the page says why not", flag)
		}
		fmt.Fprintf(&b, "| `--%s` | %s | %s |\n", flag, here, differing()[flag]+notTaken()[flag])
	}
	otherVendorCommands(t, &b)
	page(t, "hcp.md", b.String())
}

// vendorCommand is a command of the vendor's CLIs beside create cluster.
type vendorCommand struct {
	theirs string
	here   []string
	text   string
	// elsewhere are the flags that have another name here, or none: what to use instead.
	elsewhere map[string]string
}

func vendorCommands() []vendorCommand {
	return []vendorCommand{
		{"create nodepool kubevirt", []string{"create", "nodepool"}, "The flags of VMs differ as those of create cluster do.",
			map[string]string{"node-count": "deprecated there; use `--replicas`"}},
		{"destroy cluster kubevirt", []string{"delete", "cluster"},
			"The ManagedCluster is detached first, and the command waits for volumes and namespaces, too. It asks before it deletes, unless there is `--yes`.",
			map[string]string{"name": "the argument: `hcctl delete cluster NAME`"}},
		{"destroy nodepool", []string{"delete", "nodepool"}, "It waits until the VMs are gone; there it does not. It asks first, unless there is `--yes`.",
			map[string]string{"name": "the argument: `hcctl delete nodepool NAME`"}},
		{"create kubeconfig", []string{"kubeconfig"}, "Without a name the vendor's CLI prints those of all clusters of the namespace: here `--all`.",
			map[string]string{"port-forward": "for private clusters, which KubeVirt does not have"}},
		{"version", []string{"version"}, "It asks no cluster. `hcctl support` says what the cluster's HyperShift supports.",
			map[string]string{"client-only": "always so", "commit-only": "`hcctl version -o json` has the commit",
				"namespace": "HyperShift is found where it is"}},
	}
}

// otherVendorCommands writes a table of each, and fails for a flag that is neither taken nor explained.
func otherVendorCommands(t *testing.T, b *strings.Builder) {
	t.Helper()
	for _, c := range vendorCommands() {
		cmd, _, err := tree().Find(c.here)
		if err != nil || cmd.Name() != c.here[len(c.here)-1] {
			t.Fatalf("hcctl %s: %v", strings.Join(c.here, " "), err)
		}
		fmt.Fprintf(b, "\n## hcp %s\n\nHere: `hcctl %s`. %s\n\n| theirs | here |\n| --- | --- |\n", c.theirs, strings.Join(c.here, " "), c.text)
		flags := vendorFlags(t, c.theirs)
		for _, flag := range flags {
			instead, explained := c.elsewhere[flag]
			switch {
			case explained:
			case takes(cmd, flag):
				instead = "`--" + flag + "`"
			default:
				t.Errorf("hcp %s --%s is neither taken nor explained", c.theirs, flag)
			}
			fmt.Fprintf(b, "| `--%s` | %s |\n", flag, instead)
		}
		for flag := range c.elsewhere {
			if !slices.Contains(flags, flag) {
				t.Errorf("hcp %s has no --%s", c.theirs, flag)
			}
		}
	}
}

func takes(cmd *cobra.Command, flag string) bool {
	return cmd.Flags().Lookup(flag) != nil || cmd.InheritedFlags().Lookup(flag) != nil
}

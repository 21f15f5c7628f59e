package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/hcctl/hcctl/internal/golden"
)

// speakers are the operators whose contracts have words that nothing else explains, and where these stand.
var speakers = []struct{ component, name, object string }{
	{"acm", "Advanced Cluster Management", "multiclusterhub -A"},
	{"gitops", "OpenShift GitOps", "gitopscluster -n openshift-gitops"},
	{"hyperconverged", "OpenShift Virtualization", "hyperconverged -n openshift-cnv"},
	{"hostpath-provisioner", "the hostpath provisioner", "hostpathprovisioner"},
	{"kubevirt", "KubeVirt", "vm,vmi,vmim -A"},
	{"cdi", "KubeVirt's importer (CDI)", "datavolume -A"},
	{"hypershift-addon", "the hypershift addon", "managedclusteraddon -n local-cluster"},
	{"hypershift", "HyperShift", "hostedcluster,nodepool -A"},
	{"ingress", "the ingress operator", "ingresscontroller,dnsrecord -n openshift-ingress-operator"},
	{"local-storage", "Local Storage", "localvolumeset,localvolumediscovery -n openshift-local-storage"},
	{"lvms", "LVM Storage", "lvmcluster -A"},
	{"mce", "multicluster engine", "multiclusterengine"},
	{"metallb", "MetalLB", "metallb -n metallb-system"},
	{"ocm", "Open Cluster Management", "managedcluster,managedclusteraddon,manifestwork -A"},
	{"odf", "Data Foundation", "storagecluster,cephcluster -n openshift-storage"},
}

var (
	// wordsBelow are keys of a contract whose values are types of conditions, reasons and phases; notWords is beside them.
	wordsBelow = regexp.MustCompile(`^(conditions|reasons?|phases?|printable_statuses|condition_reasons|` +
		`(vm|vmi|migration|datavolume|volume)_(conditions|phases)|virt_(controller|handler)_(reasons|events))`)
	notWords = regexp.MustCompile(`^(const|suffix_const|sources?|.*_source|in|note|why|meaning|refs|warning|pairs)$`)
	// camel is a word that stands for something: names of functions and kinds are not.
	camel   = regexp.MustCompile(`^[A-Z][A-Za-z]*[a-z][A-Z][A-Za-z]*$`)
	noWords = regexp.MustCompile(`^(Set|Map)[A-Z].*(Condition|Conditions)$|^(KubeVirt|LocalVolume.*|LVMCluster|DaemonSets?|` +
		`StorageClient|NetworkAddonsConfig|BuildFeatureCondition|GetConditionByRule|DeletionTimestampPresent|ManagedCluster|` +
		`ManifestWork|CamelCase|ConditionStatus|ClusterManager|WildCard|CIDRs)$`)
)

// spokenBy adds the words of a contract's node.
func spokenBy(node *yaml.Node, within bool, words map[string]bool) {
	switch node.Kind {
	case yaml.MappingNode:
		for i := 0; i < len(node.Content); i += 2 {
			key := node.Content[i].Value
			switch {
			case notWords.MatchString(key):
				continue
			case within && camel.MatchString(key):
				words[key] = true
			}
			spokenBy(node.Content[i+1], within || wordsBelow.MatchString(key), words)
		}
	case yaml.DocumentNode, yaml.SequenceNode:
		for _, n := range node.Content {
			spokenBy(n, within, words)
		}
	case yaml.ScalarNode:
		for _, word := range regexp.MustCompile(`[^A-Za-z0-9]+`).Split(node.Value, -1) {
			if within && camel.MatchString(word) {
				words[word] = true
			}
		}
	}
}

// TestWordsOfTheContracts writes the last section of docs/words.md: what an operator may write, and no row explains.
func TestWordsOfTheContracts(t *testing.T) {
	file := filepath.Join(docsDirectory, "words.md")
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const begin = "<!-- make update writes the rest -->\n"
	byHand, _, found := strings.Cut(string(page), begin)
	if !found {
		t.Fatalf("%s has no line %q", file, begin)
	}
	made := "\n## Other words of operators\n\n| operator | words | what to do |\n| --- | --- | --- |\n"
	for _, s := range speakers {
		raw, err := os.ReadFile(filepath.Join("..", "..", "..", "contracts", s.component+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		var root yaml.Node
		if err := yaml.Unmarshal(raw, &root); err != nil {
			t.Fatal(err)
		}
		words := map[string]bool{}
		spokenBy(&root, false, words)
		var left []string
		for word := range words {
			explained := regexp.MustCompile(`[|,] `+word+`[,| ]`).MatchString(byHand) ||
				slices.Contains(RunbookWords(), word)
			if !explained && !noWords.MatchString(word) {
				left = append(left, word)
			}
		}
		if slices.Sort(left); len(left) > 0 {
			made += fmt.Sprintf("| %s | %s | `oc get %s -o yaml` |\n", s.name, strings.Join(left, ", "), s.object)
		}
	}
	golden.File(t, file, byHand+begin+made)
	if n := len(WordsOfThePage()); n < 600 {
		t.Errorf("only %d words", n)
	}
}

// TestWordText: words of steps have names in them, and a word may mean two things.
func TestWordText(t *testing.T) {
	for word, want := range map[string]string{
		"crashloopbackoff":          "Pods and containers: a container ends again",
		"CrashLoopBackOff":          "Virtual machines: ",
		"pool-kv-00/nodes":          "the pool's nodes are Ready",
		"team-a/objects/name":       "no other cluster",
		"objects/configmap-x":       "this object of a new cluster",
		"ErrorUnschedulable":        "no node takes the VM",
		"AddonManifestApplied":      "Open Cluster Management writes. hcctl knows no more",
		"wait/condition-Ready-True": "was asked to wait for",
	} {
		if got := WordText(word); !strings.Contains(got, want) {
			t.Errorf("%s: no %q in\n%s", word, want, got)
		}
	}
	for _, word := range []string{"", "word", "operator", "objects", "objects/a/b/c/d", "nothing/here"} {
		if got := WordText(word); got != "" {
			t.Errorf("%q: %s", word, got)
		}
	}
}

func TestFirstExplained(t *testing.T) {
	for message, want := range map[string]string{
		"ValidReleaseImage False (InvalidImage): no":                      "InvalidImage",
		"EtcdAvailable False (SomethingNew): no":                          "EtcdAvailable",
		"VirtualMachine kv-00-b: ErrorUnschedulable: Unschedulable: 0/3":  "ErrorUnschedulable",
		"container etcd: OOMKilled: it used CrashLoopBackOff (5 times)":   "OOMKilled",
		"2 of 3 pods are ready":                                           "",
		"HostedCluster kv-00 in namespace clusters is (not) what it says": "",
	} {
		if got := FirstExplained(message); got != want {
			t.Errorf("%s: %q, want %q", message, got, want)
		}
	}
}

package config

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/prereqs"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/prereqs/virtualization"
)

const header = "apiVersion: hcctl.dev/v1alpha1\nkind: Bootstrap\n"

func TestEverythingCanBeSaid(t *testing.T) {
	f, err := Parse("hcctl.yaml", "/etc/hcctl", []byte(`---
apiVersion: hcctl.dev/v1alpha1
kind: Bootstrap
storage: {mode: lvms, defaultStorageClass: fast}
virtualization:
  source: community
  manifests: kubevirt
loadBalancer:
  mode: metallb
  metallbRanges: &ranges [10.0.0.0/28, 10.0.1.1-10.0.1.9]
operators:
  multicluster-engine: {startingCSV: multicluster-engine.v2.10.0, channel: "stable-2.10", catalogSource: mirror}
only: [storage]
skip:
- storage/cluster
timeout: 90m
troubleTimeout: 0
timeouts:
  storage/cluster: 1h30m
parallel: 4
`))
	if err != nil {
		t.Fatal(err)
	}
	want := Bootstrap{
		APIVersion: APIVersion, Kind: Kind,
		Storage:        Storage{Mode: storage.ModeLVM, DefaultStorageClass: "fast"},
		Virtualization: Virtualization{Source: "community", Manifests: "/etc/hcctl/kubevirt"},
		LoadBalancer: LoadBalancer{Mode: loadbalancer.ModeMetalLB,
			MetalLBRanges: []string{"10.0.0.0/28", "10.0.1.1-10.0.1.9"}},
		Operators: map[string]Operator{"multicluster-engine": {StartingCSV: "multicluster-engine.v2.10.0",
			Channel: "stable-2.10", CatalogSource: "mirror"}},
		Only: []string{"storage"}, Skip: []string{"storage/cluster"},
		Timeout: 90 * time.Minute, Timeouts: map[string]time.Duration{"storage/cluster": 90 * time.Minute}, Parallel: 4,
	}
	if diff := cmp.Diff(want, f.Bootstrap); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
	options := prereqs.Options{
		Storage:        storage.Options{Mode: storage.ModeLVM, DefaultClass: "fast"},
		Virtualization: virtualization.Options{Source: "community", Manifests: "/etc/hcctl/kubevirt"},
		LoadBalancer: loadbalancer.Options{Mode: loadbalancer.ModeMetalLB,
			MetalLBRanges: []string{"10.0.0.0/28", "10.0.1.1-10.0.1.9"}},
		Operators: map[string]olm.Pin{"multicluster-engine": {StartingCSV: "multicluster-engine.v2.10.0",
			Channel: "stable-2.10", CatalogSource: "mirror"}},
	}
	if diff := cmp.Diff(options, f.Options()); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
}

// Who runs only steps of an optional group, wants it.
func TestOnlyAsksForOptionalGroups(t *testing.T) {
	for text, want := range map[string]int{"with: [gitops]\n": 1, "only: [gitops]\n": 1, "only: [gitops/argocd]\n": 1,
		"only: [storage]\n": 0, "": 0} {
		f, err := Parse("hcctl.yaml", ".", []byte(header+text))
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Options().With; len(got) != want {
			t.Errorf("%q: optional groups %v", text, got)
		}
		if _, err := f.Validate(); err != nil {
			t.Error(err)
		}
	}
}

func TestWhatIsNotSaidIsTheDefault(t *testing.T) {
	f, err := Parse("hcctl.yaml", ".", []byte(header+"storage:\ntimeout: null\nonly: ~\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Default(), f.Bootstrap); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMistakesAreOneErrorWithTheirLine(t *testing.T) {
	for name, tc := range map[string]struct{ text, want, hint string }{
		"empty":         {"# nothing\n", "f.yaml: is empty", "hcctl config init FILE writes"},
		"only a marker": {"---\n", "f.yaml: is empty", "hcctl config init FILE writes"},
		"not YAML":      {header + "storage: [\n", "f.yaml:", "hcctl config init shows every field"},
		"tab": {"apiVersion: x\n\tkind: y\n", "f.yaml:2: is not YAML: the line is indented with a tab; YAML " +
			"takes only spaces there", ""},
		"at sign": {"apiVersion: @x\n", "f.yaml:1: is not YAML: a value begins with @, ` or %; write it in quotes", ""},
		"a list": {"- a\n",
			"f.yaml:1: holds a list, but has to hold fields such as apiVersion: hcctl.dev/v1alpha1", ""},
		"no apiVersion": {"kind: Bootstrap\n", "f.yaml:1: apiVersion is missing: the document has to say apiVersion: " +
			"hcctl.dev/v1alpha1", ""},
		"no kind": {"apiVersion: hcctl.dev/v1alpha1\n", "f.yaml:1: kind is missing", ""},
		"other apiVersion": {"apiVersion: hcctl.dev/v1\nkind: Bootstrap\n",
			`f.yaml:1: apiVersion "hcctl.dev/v1": this hcctl knows hcctl.dev/v1alpha1`, ""},
		"other kind": {"apiVersion: hcctl.dev/v1alpha1\nkind: HostedCluster\nspec: {}\n",
			`f.yaml:2: kind "HostedCluster": this hcctl knows Bootstrap`, ""},
		"two documents": {header + "---\nkind: Bootstrap\n", "f.yaml:4: a second document begins here; a file of " +
			"settings holds one", ""},
		"unknown field": {header + "storag:\n  mode: odf\n", "f.yaml:3: storag is not a field; did you mean storage?",
			"allowed here: apiVersion, kind, storage"},
		"unknown subfield": {header + "storage:\n  size: 3\n", "f.yaml:4: storage.size is not a field",
			"allowed here: mode, defaultStorageClass"},
		"misplaced field": {header + "metallbRanges: []\n", "f.yaml:3: metallbRanges is not a field; did you mean " +
			"loadBalancer.metallbRanges?", ""},
		"named as the flag": {header + "metallb-range: []\n", "f.yaml:3: metallb-range is not a field; did you mean " +
			"loadBalancer.metallbRanges?", ""},
		"unknown pin": {header + "operators:\n  multicluster-engine:\n    version: 2.10\n",
			"f.yaml:5: operators.multicluster-engine.version is not a field",
			"allowed here: approval, startingCSV, channel, catalogSource"},
		"given twice": {header + "timeout: 1h\nparallel: 1\ntimeout: 2h\n",
			"f.yaml:5: timeout is given twice, first in line 3", ""},
		"text for fields": {header + "storage: odf\n",
			`f.yaml:3: storage is "odf", but has to hold fields: mode, defaultStorageClass`, ""},
		"text for a list": {header + "only: storage\n",
			`f.yaml:3: only is "storage", but has to be a list, such as [storage]`, ""},
		"fields for text": {header + "virtualization:\n  source: {image: x}\n",
			"f.yaml:4: virtualization.source is a set of fields, but has to be text", ""},
		"number for text": {header + "operators: {odf-operator: {channel: 4.10}}\n",
			`f.yaml:3: operators.odf-operator.channel is the number 4.10, but has to be text: write "4.10" in quotes`, ""},
		"text for number": {header + "parallel: many\n", `f.yaml:3: parallel is "many", but has to be a whole number`, ""},
		"a number too big": {header + "parallel: 99999999999999999999\n",
			"f.yaml:3: parallel is the number 99999999999999999999, but has to be a whole number", ""},
		"time of no unit": {header + "timeout: 30\n", "f.yaml:3: timeout is the number 30, but has to be a time, such as " +
			"90m or 1h30m", ""},
		"negative time": {header + "timeout: -5m\n", `f.yaml:3: timeout is "-5m", but has to be a time`, ""},
		"list in a map": {header + "timeouts: [1h]\n", "f.yaml:3: timeouts is a list, but has to hold fields, each a name " +
			"and a value", ""},
		"not a mode": {header + "storage:\n  mode: ceph\n",
			`f.yaml:4: storage.mode "ceph": use one of auto, existing, odf, lvms, hostpath, none`, ""},
		"a key of fields": {header + "operators:\n  {a: b}: {}\n", "f.yaml:4: operators has a set of fields for a key, " +
			"which has to be a word", ""},
		"too big": {header + strings.Repeat("# filler\n", MaxSize/9), "f.yaml: has more than 1048576 bytes", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("f.yaml", ".", []byte(tc.text))
			var e *Error
			if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), tc.want) || !strings.HasPrefix(e.Hint().String(),
				tc.hint) {
				t.Fatalf("got %v (hint %q)\nwant %s (hint %q)", err, hintOf(e), tc.want, tc.hint)
			}
			if strings.Contains(err.Error(), "\n") || e.Failure() != failure.Misused {
				t.Errorf("%q, kind %d: want one line and Misused", err, e.Failure())
			}
		})
	}
}

func hintOf(e *Error) string {
	if e == nil {
		return ""
	}
	return e.Hint().String()
}

func TestValuesThatCannotWorkAreFoundInTheirLine(t *testing.T) {
	for name, tc := range map[string]struct{ text, want, flag string }{
		"range": {"loadBalancer:\n  metallbRanges:\n  - 10.0.0.0/28\n  - foo\n",
			`f.yaml:6: loadBalancer.metallbRanges[1] "foo": is neither`, "--metallb-range"},
		"no such step": {"skip:\n- ingress\n- storge\n",
			`f.yaml:5: skip[1]: "storge" is neither a step nor a group of steps; did you mean storage?`, "--skip"},
		"only": {"only: [nobody]\n", `f.yaml:3: only[0]: "nobody" is neither`, "--only"},
		"time of no step": {"timeouts:\n  storage/clutser: 1h\n", "f.yaml:4: timeouts.storage/clutser: there is no step of " +
			"that ID; did you mean storage/cluster", "timeouts."},
		"time of nothing": {"timeouts: {storage/cluster: 0}\n", "f.yaml:3: timeouts.storage/cluster: give a time above zero",
			"timeouts."},
		"no time at all": {"timeout: 0\n", "f.yaml:3: timeout 0s: give a time above zero", "--timeout"},
		"negative":       {"parallel: -1\n", "f.yaml:3: parallel -1: it cannot be negative", "--parallel"},
		"unknown package": {"operators:\n  odf: {}\n", "f.yaml:4: operators.odf: hcctl does not install this package",
			"operators.odf"},
		"another operator": {"operators:\n  odf-operator:\n    startingCSV: x.v1\n",
			`f.yaml:5: operators.odf-operator.startingCSV "x.v1": the versions`, "operators.odf"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Parse("f.yaml", ".", []byte(header+tc.text))
			if err != nil {
				t.Fatal(err)
			}
			_, err = f.Validate()
			var wrong *option.Error
			if !errors.As(err, &wrong) {
				t.Fatalf("got %v, want an error about an option", err)
			}
			name := wrong.Field
			if flag, known := FlagOf(wrong); known && flag != "" {
				name = "--" + flag
			}
			if !strings.HasPrefix(name, tc.flag) {
				t.Fatalf("got %v about %s, want it to be about %s", err, name, tc.flag)
			}
			if located := f.Locate(err); located == nil || !strings.HasPrefix(located.Error(), tc.want) {
				t.Errorf("got %v\nwant %s", located, tc.want)
			}
		})
	}
}

func TestLocateLeavesOthersAlone(t *testing.T) {
	f, err := Parse("f.yaml", ".", []byte(header))
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{errors.New("x"), option.Errorf("parallel", nil, "x")} {
		if got := f.Locate(err); got != nil {
			t.Errorf("%v: located as %v", err, got)
		}
	}
}

func TestExamplesAreValid(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "examples", "*.yaml"))
	if err != nil || len(files) < 5 {
		t.Fatalf("%d examples (%v)", len(files), err)
	}
	readme, err := os.ReadFile(filepath.Join("..", "..", "examples", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(files, "init.yaml") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		// What is for others, such as placement.yaml, is held to their schemas elsewhere.
		if ours := bytes.Contains(data, []byte("apiVersion: hcctl.dev/")); ours {
			if err := validDocument(path, data); err != nil {
				t.Error(err)
			}
		}
		if name := filepath.Base(path); path != "init.yaml" && !bytes.Contains(readme, []byte("]("+name+")")) {
			t.Errorf("examples/README.md does not name %s", name)
		}
	}
}

// validDocument reads a document of any kind as the commands do.
func validDocument(path string, data []byte) error {
	if KindOf(data) == Kind {
		f, err := Parse(path, ".", data)
		if err != nil {
			return err
		}
		_, err = f.Validate()
		return err
	}
	environments, err := Environments(path, data)
	if len(environments) == 0 {
		environments = []string{""}
	}
	for _, env := range environments {
		clusters, wrong := ParseClusters(path, ".", data, env)
		err = errors.Join(err, wrong)
		for _, c := range clusters {
			_, wrong := c.Options.Validate()
			err = errors.Join(err, wrong)
		}
	}
	return err
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(header))
	f.Add(Initial())
	f.Add(
		[]byte(header + "storage: {mode: odf}\nonly: [a]\ntimeouts: {a: 1h}\nparallel: 1\noperators: {a: {channel: b}}\n"))
	f.Add([]byte(header + "a: &a [*a]\n---\n"))
	f.Add([]byte(header + "operators: &o {x: *o}\nonly: &l [*l]\n"))
	f.Add([]byte(header + "<<: {kind: x}\n? [a]\n: b\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse("f.yaml", ".", data)
		var e *Error
		if err != nil && (!errors.As(err, &e) || strings.Contains(err.Error(), "\n")) {
			t.Fatalf("%T %q: want an *Error of one line", err, err)
		}
		if err == nil && (file.APIVersion != APIVersion || file.Kind != Kind || file.Timeout < 0) {
			t.Fatalf("accepted %+v", file.Bootstrap)
		}
	})
}

package creation

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/contracts"
	schemas "github.com/hcctl/hcctl/contracts/crd"
	"github.com/hcctl/hcctl/internal/golden"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects/objectstest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
)

// shipped is HyperShift of one minor of OpenShift: the schemas of its HostedCluster and NodePool, by kind.
type shipped struct {
	contracts.Release
	kinds map[string]*schemas.Validator
}

// engine is the multicluster engine that ships it: 2.2 has that of 4.12, 2.17 that of 4.22, 5.0 that of 4.23 and 5.0
// (contracts/hypershift.yaml).
func (r shipped) engine() string {
	switch {
	case r.Release == (contracts.Release{Major: 4, Minor: 22}):
		return "2.17"
	case r.Release == (contracts.Release{Major: 4, Minor: 23}):
		return "5.0"
	case r.Major > 4:
		return r.String()
	}
	return fmt.Sprintf("2.%d", r.Minor-10)
}

func shippedReleases(t *testing.T) []shipped {
	t.Helper()
	var all []shipped
	for _, kind := range []string{"HostedCluster", "NodePool"} {
		table, err := contracts.TableOf("hypershift.openshift.io", kind)
		if err != nil {
			t.Fatal(err)
		}
		releases, err := table.Releases.All()
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range releases {
			byVersion, err := schemas.Schemas(table, r)
			if err != nil {
				t.Fatal(err)
			}
			if i == len(all) {
				all = append(all, shipped{r, map[string]*schemas.Validator{}})
			}
			if all[i].kinds[kind], err = schemas.NewValidator(byVersion[""]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

// answer is what a release says of the cluster's objects: how hcctl tells that it lacks a field or refuses a value, ""
// if it takes them, and the flags that hcctl names. dropped are the fields that hcctl lets it drop.
func (r shipped) answer(t *testing.T, o options.Validated) (refusal string, flags, dropped []string) {
	t.Helper()
	for _, obj := range objectstest.ObjectsToWrite(o) {
		kind := obj.GetObjectKind().GroupVersionKind().Kind
		if r.kinds[kind] == nil {
			continue
		}
		m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
		if err != nil {
			t.Fatal(err)
		}
		delete(m, "status")
		unknown, invalid := r.kinds[kind].Problems(m)
		if len(unknown) > 0 {
			err := apierrors.NewBadRequest("strict decoding error: " + strings.Join(unknown, ", "))
			refused, lost := unknownFields(obj, err)
			if refused != nil {
				return refused.Error(), refused.Flags, nil
			}
			if !lost {
				t.Fatalf("%s %s: what is with %v?", r, kind, unknown)
			}
			for _, field := range hostedcluster.UnknownFields(err) {
				dropped = append(dropped, kind+" "+field)
			}
		}
		if len(invalid) > 0 {
			return (&DeniedError{Object: kind, Err: errors.New(strings.Join(invalid, ", "))}).Error(), nil, nil
		}
	}
	return "", nil, dropped
}

// at is what a field, given as kind and path, has in the cluster's objects.
func at(t *testing.T, o options.Validated, field string) any {
	t.Helper()
	kind, path, _ := strings.Cut(field, " ")
	value, _, err := unstructured.NestedFieldNoCopy(objectstest.ObjectsOf(t, o)[kind+" kv-00"], strings.Split(path, ".")...)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// TestEveryReleaseTakesTheFieldOrRefuses holds what create writes to the CRDs of HyperShift in multicluster engine 2.2
// to 5.1. Each flag's example is taken as a whole, or refused with an error that names the flag: nothing that
// somebody asked for is dropped. What may be dropped are values that every cluster has. docs/support.md tells which
// flag needs which release.
func TestEveryReleaseTakesTheFieldOrRefuses(t *testing.T) {
	all := shippedReleases(t)
	if len(all) != 14 {
		t.Fatalf("%d releases", len(all))
	}
	lost, defaults := map[string]int{}, optionstest.Valid(t, optionstest.Named(nil))
	for i, r := range all {
		refusal, _, dropped := r.answer(t, defaults)
		if refusal != "" {
			t.Errorf("%s refuses a cluster with defaults: %s", r, refusal)
		}
		for _, field := range dropped {
			lost[field] = i + 1
		}
	}
	needs := map[string]string{}
	for _, e := range optionstest.Examples() {
		if e.Flag == "" || e.Beside {
			continue
		}
		options, _ := e.Options(t)
		o, since := optionstest.Valid(t, options), 0
		for i, r := range all {
			refusal, flags, dropped := r.answer(t, o)
			for _, field := range dropped {
				if was, is := at(t, defaults, field), at(t, o, field); !reflect.DeepEqual(was, is) {
					t.Errorf("--%s: %s drops %s, which is %v", e.Flag, r, field, is)
				}
			}
			if refusal == "" {
				continue
			}
			if since < i {
				t.Errorf("--%s: %s refuses what one before it takes: %s", e.Flag, r, refusal)
			}
			since = i + 1
			if len(flags) > 0 && !slices.Contains(flags, e.Flag) && e.With == "" {
				t.Errorf("--%s: %s names %v instead: %s", e.Flag, r, flags, refusal)
			}
			if len(flags) == 0 && strings.Contains(refusal, "does not know") {
				t.Errorf("--%s: %s names no flag: %s", e.Flag, r, refusal)
			}
		}
		oldest := ""
		switch {
		case since == len(all):
			oldest = "later than " + all[len(all)-1].engine()
		case since > 0:
			oldest = all[since].engine()
		}
		if e.Needs != oldest {
			t.Errorf("--%s: the table of fields says that it needs %q, the CRDs say %q", e.Flag, e.Needs, oldest)
		}
		switch {
		case since == len(all):
			needs["`--"+e.Flag+" "+e.Example+"`"] = "newer than all of them"
		case since > 0:
			needs["`--"+e.Flag+" "+e.Example+"`"] = all[since].engine() + " (" + all[since].String() + ")"
		}
	}
	var page strings.Builder
	page.WriteString("\n| flag, with its example | needs multicluster engine (OpenShift's HyperShift) |\n| --- | --- |\n")
	for _, flag := range slices.Sorted(maps.Keys(needs)) {
		fmt.Fprintf(&page, "| %s | %s |\n", flag, needs[flag])
	}
	page.WriteString("\n| written for every cluster | multicluster engine that drops it |\n| --- | --- |\n")
	for _, field := range slices.Sorted(maps.Keys(lost)) {
		fmt.Fprintf(&page, "| %s | 2.2 to %s |\n", field, all[lost[field]-1].engine())
	}
	golden.Section(t, filepath.Join("..", "..", "..", "docs", "support.md"), "<!-- flags by release -->\n",
		"<!-- end of flags by release -->", page.String())
}

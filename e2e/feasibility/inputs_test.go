package feasibility

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/e2e/world"
)

// input is what a user asks for, in a management cluster that may be changed for it.
type input struct {
	// Input is a name, Finding where it was reported.
	Input, Finding string
	// Command is what is run; "create cluster --name NAME" is the default. Args come after it.
	Command, Args string
	// World are changes of objects of the management cluster, taken back afterwards; Objects are made, and deleted.
	World   []change
	Objects []map[string]any
	// Files are made in the working directory, with NAME replaced in them, and Old by New.
	Files    map[string]string
	Old, New string
	// Before are commands that are run once, before all.
	Before []string
	// Exit is the exit code of the real run: 0 if it works, 2 if no cluster could take it, 3 if this one cannot.
	Exit int
	// Dry is that of the dry run where a step of the run finds it: 3, as of every plan that fails.
	Dry int
	// Want are what the dry run's problem has to say.
	Want []string
	// Undo are commands that take back what a real run did; deleting the cluster is the default.
	Undo []string
	// Alone says why a run without the checks does not show what would happen.
	Alone string
	// Client is the exit code without a server, where that is not as good as it gets: 2 for what needs a server's answer.
	Client int
	// Short marks an input that works and is tried for real in the short form, too.
	Short bool

	number int
}

// change is a merge patch of an object.
type change struct {
	Kind, Namespace, Name string
	// Status is whether the patch goes to the status.
	Status bool
	Patch  map[string]any
}

// name is the cluster that an input creates: Number is its place in the list.
func (in *input) name() string { return fmt.Sprintf("in-%02d", in.number) }

// line is the command line of a run.
func (in *input) line(name string) []string {
	return strings.Fields(strings.ReplaceAll(cmp.Or(in.Command, "create cluster --name NAME")+" "+in.Args, "NAME", name))
}

func (in *input) creates() bool {
	return in.Command == "" || strings.HasPrefix(in.Command, "create cluster")
}

// readInputs reads them, in the order of the files and in theirs.
func readInputs(t *testing.T) []input {
	t.Helper()
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no inputs", err)
	}
	var all []input
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var some []input
		if err := yaml.UnmarshalStrict(text, &some); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, some...)
	}
	for i := range all {
		all[i].number = i
		text := strings.ReplaceAll(string(marshal(t, all[i].Objects)), "NAME", all[i].name())
		all[i].Objects = nil
		if err := yaml.Unmarshal([]byte(text), &all[i].Objects); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// arrange changes the management cluster for an input, until the test ends.
func arrange(t *testing.T, w *world.World, in *input) {
	t.Helper()
	for _, c := range in.World {
		resource := w.Resource(c.Kind, c.Namespace)
		before, err := resource.Get(t.Context(), c.Name, noGet)
		if err != nil {
			t.Fatalf("%s %s: %v", c.Kind, c.Name, err)
		}
		var sub []string
		if c.Status {
			sub = []string{"status"}
		}
		patch := func(p map[string]any) {
			if _, err := resource.Patch(background, c.Name, types.MergePatchType, marshal(t, p), asUser, sub...); err != nil {
				t.Errorf("%s %s: %v", c.Kind, c.Name, err)
			}
		}
		patch(c.Patch)
		t.Cleanup(func() { patch(inverse(c.Patch, before.Object)) })
	}
	for name, content := range in.Files {
		if in.Old != "" && !strings.Contains(content, in.Old) {
			t.Fatalf("%s lacks %q", name, in.Old)
		}
		content = strings.ReplaceAll(strings.Replace(content, in.Old, in.New, 1), "NAME", in.name())
		if err := os.WriteFile(filepath.Join(w.Hcctl.Dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range in.Before {
		w.Hcctl.Must(t, strings.Fields(strings.ReplaceAll(command, "NAME", in.name()))...)
	}
	for _, o := range in.Objects {
		u := &unstructured.Unstructured{Object: o}
		kind, namespace := kindOf(u), u.GetNamespace()
		w.Make(t, kind, namespace, o)
		if u.GetKind() == "ResourceQuota" {
			awaitUsage(t, w, namespace, u.GetName())
		}
		t.Cleanup(func() {
			if u.GetKind() == "HostedCluster" { // a paused one would stay
				_, err := w.Resource(kind, namespace).Patch(background, u.GetName(), types.MergePatchType,
					[]byte(`{"spec":{"pausedUntil":null}}`), asUser)
				if err != nil {
					t.Error(err)
				}
			}
			if err := w.Resource(kind, namespace).Delete(background, u.GetName(), atOnce); err != nil {
				t.Errorf("%s %s: %v", kind, u.GetName(), err)
			}
		})
	}
}

// awaitUsage waits until the controller has counted what a quota is for: until then it limits nothing.
func awaitUsage(t *testing.T, w *world.World, namespace, name string) {
	t.Helper()
	watch, err := w.Resource("resourcequotas.v1.", namespace).Watch(t.Context(), metav1.ListOptions{
		FieldSelector: "metadata.name=" + name})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	for e := range watch.ResultChan() {
		if u, is := e.Object.(*unstructured.Unstructured); is {
			if _, counted, _ := unstructured.NestedMap(u.Object, "status", "used"); counted {
				return
			}
		}
	}
	t.Fatalf("quota %s was not counted", name)
}

// kindOf is the kind of an object as world.Resource reads it: all kinds here but one have plain plurals.
func kindOf(u *unstructured.Unstructured) string {
	plural := strings.ToLower(u.GetKind()) + "s"
	switch {
	case u.GetKind() == "NetworkAttachmentDefinition":
		plural = "network-attachment-definitions"
	case strings.HasSuffix(u.GetKind(), "y"):
		plural = strings.TrimSuffix(strings.ToLower(u.GetKind()), "y") + "ies"
	}
	gvk := u.GroupVersionKind()
	return plural + "." + gvk.Version + "." + gvk.Group
}

// inverse is the merge patch that takes a merge patch of an object back.
func inverse(patch, before map[string]any) map[string]any {
	back := map[string]any{}
	for key, value := range patch {
		was, there := before[key]
		inner, isMap := value.(map[string]any)
		wasMap, wasIsMap := was.(map[string]any)
		switch {
		case isMap && wasIsMap:
			back[key] = inverse(inner, wasMap)
		case there:
			back[key] = was
		default:
			back[key] = nil
		}
	}
	return back
}

package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/internal/golden"
)

// passedFile has the states that conditions changed to on the way from one milestone to the next: by both
// HyperShifts (=), by the vendor's only (+), by the simulated one only (-). A state may be passed too fast to be seen,
// so the file has what any run saw: a run may miss a state of the file, but it must see none that is new to both,
// unless docs/dev/sandbox.md has a reason for it. UPDATE=1 adds what a run sees; to begin anew, delete the file.
var passedFile = filepath.Join("testdata", "real", "passed.txt")

// passed collects the states that conditions change to.
type passed struct {
	mu    sync.Mutex
	now   string
	lines map[string]bool
	// last has the conditions of each kind's object when it was seen last.
	last map[string][]string
	// gone has what was deleted, by the version of the cluster at that time.
	gone map[int]string
}

// phase begins the way to a milestone.
func (p *passed) phase(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = name
}

// watchConditions watches the conditions of all that hostedKinds has until the test ends.
func watchConditions(t *testing.T, kubeconfig string) *passed {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	p := &passed{lines: map[string]bool{}, last: map[string][]string{}, gone: map[int]string{}}
	ctx, cancel := context.WithCancel(t.Context())
	var watchers sync.WaitGroup
	t.Cleanup(func() { cancel(); watchers.Wait() })
	for kind, at := range hostedKinds {
		namespace, _, _ := strings.Cut(at, "/")
		r := objects.Resource(schema.ParseGroupResource(kind).WithVersion("v1beta1")).Namespace(namespace)
		watchers.Go(func() {
			wait.UntilWithContext(ctx, func(ctx context.Context) { p.follow(ctx, kind, r) }, 100*time.Millisecond)
		})
	}
	return p
}

// follow reads objects until a watch ends, for whatever reason.
func (p *passed) follow(ctx context.Context, kind string, r dynamic.ResourceInterface) {
	list, err := r.List(ctx, metav1.ListOptions{})
	if err != nil {
		return
	}
	for i := range list.Items {
		p.see(kind, &list.Items[i])
	}
	w, err := r.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
	if err != nil {
		return
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		o, ok := event.Object.(*unstructured.Unstructured)
		if !ok {
			return
		}
		p.see(kind, o)
		if event.Type == watch.Deleted {
			p.deleted(kind, o)
		}
	}
}

func (p *passed) see(kind string, o *unstructured.Unstructured) {
	p.mu.Lock()
	defer p.mu.Unlock()
	lines := conditionLines(kind, o)
	for _, line := range lines {
		if slices.Contains(p.last[kind], line) {
			continue
		}
		for _, state := range passingStates(line) {
			p.lines[p.now+": "+state] = true
		}
	}
	p.last[kind] = lines
}

func (p *passed) deleted(kind string, o *unstructured.Unstructured) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if version, err := strconv.Atoi(o.GetResourceVersion()); err == nil {
		p.gone[version], _, _ = strings.Cut(kind, ".")
	}
}

// Parts of messages that only say how far something is.
var (
	awaited    = regexp.MustCompile(`(Waiting for components to be available: )[^"]+`)
	numbers    = regexp.MustCompile(`(^|[^0-9A-Za-z.:-])[0-9]+([^0-9A-Za-z.:-]|$)`)
	replicas   = regexp.MustCompile(`\[?([a-z-]+ deployment has N unavailable replicas(, )?)+\]?`)
	machines   = regexp.MustCompile(`(Machine [^"]*?)\\n`)
	headOfList = regexp.MustCompile(`N of N machines are not [a-z ]+\\n`)
)

// passingStates returns the state of a condition without how far something is. A message about several machines is one
// state for each of them.
func passingStates(line string) []string {
	for range 2 { // neighbours share what is between them
		line = numbers.ReplaceAllString(line, "${1}N${2}")
	}
	line = replicas.ReplaceAllString(awaited.ReplaceAllString(line, "${1}NAMES"), "NAME deployment has N unavailable replicas")
	found := machines.FindAllString(line, -1)
	if len(found) < 2 && !headOfList.MatchString(line) {
		return []string{line}
	}
	head := line[:machines.FindStringIndex(line)[0]]
	// The reason names those of all machines.
	words := strings.SplitN(head, " ", 4)
	var states []string
	for _, m := range found {
		if parts := strings.SplitN(m, ": ", 3); len(parts) > 1 && len(words) > 2 {
			words[2] = strings.TrimSuffix(parts[1], `\n`)
		}
		states = append(states, strings.Join(words, " ")+m+`"`)
	}
	return states
}

// record compares the states with those of the file, or adds them to it; sign says whose they are.
func (p *passed) record(t *testing.T, sign byte) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	var order []string
	for _, version := range slices.Sorted(maps.Keys(p.gone)) {
		order = append(order, p.gone[version])
	}
	p.lines["deleted: gone in this order: "+strings.Join(order, ", ")] = true
	text, err := os.ReadFile(passedFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	known := parsePassed(text)
	reasons := knownDifferences(t)
	for line := range p.lines {
		told := string(sign) + " " + line
		explained := slices.ContainsFunc(reasons, func(r *regexp.Regexp) bool { return r.MatchString(told) })
		switch have := known[line]; {
		case have == '=' || have == sign:
		case !golden.Updating() && have == 0 && explained:
			t.Logf("seen for the first time, but docs/dev/sandbox.md has a reason: %c %s", sign, line)
		case !golden.Updating() && have == 0:
			t.Errorf("no run has seen this before (UPDATE=1 adds it to %s): %c %s", passedFile, sign, line)
		case !golden.Updating():
			t.Logf("no difference any more, both have been seen in it (UPDATE=1 says so in %s): %s", passedFile, line)
		case have == 0:
			known[line] = sign
		default:
			known[line] = '='
		}
	}
	if golden.Updating() {
		golden.File(t, passedFile, formatPassed(known))
	}
}

func parsePassed(text []byte) map[string]byte {
	known := map[string]byte{}
	for line := range bytes.Lines(text) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if len(line) > 2 && bytes.IndexByte([]byte("=+-"), line[0]) >= 0 && line[1] == ' ' {
			known[string(line[2:])] = line[0]
		}
	}
	return known
}

// formatPassed sorts the states by milestone, in the order of life.
func formatPassed(known map[string]byte) string {
	var out strings.Builder
	out.WriteString("States that conditions changed to on the way to each milestone: by both HyperShifts (=), the vendor's only (+),\n" +
		"the simulated one only (-). docs/dev/sandbox.md has the reasons. e2e/real_passed_test.go says how this file is made.\n")
	for _, m := range life {
		out.WriteByte('\n')
		for _, line := range slices.Sorted(maps.Keys(known)) {
			if strings.HasPrefix(line, m.name+": ") {
				fmt.Fprintf(&out, "%c %s\n", known[line], line)
			}
		}
	}
	return out.String()
}

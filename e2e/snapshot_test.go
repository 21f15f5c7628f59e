package e2e

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/hcctl/hcctl/e2e/state"
)

// snapshotCommand: snapshot take NAME | snapshot same NAME [except REGEXP] | snapshot unwritten NAME
//
// take remembers every object of the cluster, once no object changes any more; same asks that there are just these
// objects again, each the very same one (by UID) and its spec unchanged (by generation), but for the lines that match.
// What operators still remove gets time. unwritten asks besides that objects in which hcctl owns fields have the same
// resourceVersion: not even an empty write happened, by nobody, so it is for a cluster at rest and allows no time.
// Events and leases come and go by themselves.
func snapshotCommand(ts *testscript.TestScript, neg bool, args []string) {
	plain, except := len(args) == 2, len(args) == 4 && args[0] == "same" && args[2] == "except"
	if neg || !plain && !except {
		ts.Fatalf("usage: snapshot take NAME | snapshot same NAME [except REGEXP] | snapshot unwritten NAME")
	}
	h, name, c := harnessOf(ts), args[1], clusterOf(ts)
	if args[0] == "take" {
		now, err := c.atRest()
		ts.Check(err)
		h.snapshots[name] = now.lines
		return
	}
	before, ok := h.snapshots[name]
	if args[0] != "same" && args[0] != "unwritten" || !ok {
		ts.Fatalf("no snapshot %s was taken", name)
	}
	var diff []string
	if args[0] == "unwritten" {
		now, err := c.everything()
		ts.Check(err)
		diff = now.difference(before, nothing)
	} else {
		ignored := nothing
		if except {
			var err error
			ignored, err = regexp.Compile(args[3])
			ts.Check(err)
		}
		var err error
		diff, err = awaitSame(settles, c.everything, before, ignored)
		ts.Check(err)
	}
	if len(diff) > 0 {
		ts.Fatalf("the cluster is not as it was:\n%s", strings.Join(diff, "\n"))
	}
}

// nothing matches no line of a snapshot.
var nothing = regexp.MustCompile("^$")

// awaitSame returns what a cluster does not have in common with an earlier snapshot: nothing as soon as it is the same,
// but for resourceVersions.
func awaitSame(
	within time.Duration, list func() (snapshot, error), before []string, except *regexp.Regexp,
) (diff []string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	before = withoutVersions(before)
	err = wait.PollUntilContextCancel(ctx, time.Second, true, func(context.Context) (bool, error) {
		now, err := list()
		if err != nil {
			return false, err
		}
		now.lines = withoutVersions(now.lines)
		diff = now.difference(before, except)
		return len(diff) == 0, nil
	})
	if wait.Interrupted(err) {
		err = nil
	}
	return diff, err
}

// snapshot is every object of a cluster, sorted: "KIND NAMESPACE/NAME UID GENERATION[ resourceVersion VERSION]".
type snapshot struct {
	lines []string
	// writers tell who last wrote an object, and when, by "KIND NAMESPACE/NAME UID GENERATION".
	writers map[string]string
}

// difference lists what only one of an earlier snapshot and this one has. Of what this one has it tells who wrote it.
func (s snapshot) difference(before []string, except *regexp.Regexp) []string {
	diff := difference(before, s.lines, except)
	for i, line := range diff {
		object, _, _ := strings.Cut(line, versionMark)
		if writer := s.writers[strings.TrimPrefix(object, "+ ")]; writer != "" {
			diff[i] += writer
		}
	}
	return diff
}

// lastWriter tells who last wrote an object, and when, by its managed fields.
func lastWriter(o *metav1.PartialObjectMetadata) string {
	told := " (created " + o.CreationTimestamp.UTC().Format(time.TimeOnly)
	var last *metav1.ManagedFieldsEntry
	for i := range o.ManagedFields {
		if f := &o.ManagedFields[i]; f.Time != nil && (last == nil || last.Time.Before(f.Time)) {
			last = f
		}
	}
	if last != nil {
		told += fmt.Sprintf(", last written by %s %s", last.Manager, last.Time.UTC().Format(time.TimeOnly))
	}
	if o.DeletionTimestamp != nil {
		told += fmt.Sprintf(", being deleted, finalizers %q", o.Finalizers)
	}
	return told + ")"
}

const versionMark = " resourceVersion "

// withoutVersions returns a snapshot without resourceVersions.
func withoutVersions(lines []string) []string {
	out := make([]string, 0, len(lines))
	for _, line := range lines {
		line, _, _ = strings.Cut(line, versionMark)
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

// difference lists what only one of two sorted snapshots has.
func difference(before, now []string, except *regexp.Regexp) []string {
	var diff []string
	add := func(sign string, lines, other []string) {
		for _, line := range lines {
			if _, found := slices.BinarySearch(other, line); !found && !except.MatchString(line) {
				diff = append(diff, sign+" "+line)
			}
		}
	}
	add("-", before, now)
	add("+", now, before)
	return diff
}

// atRest lists every object of the cluster once two lists, a second apart, are the same: operators may still write what
// no command waits for. Without that it returns the last list after a minute.
func (c *cluster) atRest() (snapshot, error) {
	ctx, cancel := context.WithTimeout(context.Background(), settles)
	defer cancel()
	var now snapshot
	err := wait.PollUntilContextCancel(ctx, time.Second, true, func(context.Context) (bool, error) {
		before := now
		var err error
		now, err = c.everything()
		return slices.Equal(before.lines, now.lines), err
	})
	if wait.Interrupted(err) {
		err = nil
	}
	return now, err
}

// everything lists every object of the cluster.
func (c *cluster) everything() (snapshot, error) {
	kinds, err := state.Kinds(c.discovery)
	if err != nil {
		return snapshot{}, err
	}
	s := snapshot{writers: map[string]string{}}
	for _, gvr := range kinds {
		if err := c.addKind(&s, gvr); err != nil {
			return snapshot{}, fmt.Errorf("list %s: %w", gvr.GroupResource(), err)
		}
	}
	slices.Sort(s.lines)
	return s, nil
}

func (c *cluster) addKind(s *snapshot, gvr schema.GroupVersionResource) error {
	ctx, cancel := requestContext()
	defer cancel()
	objects, err := c.metadata.Resource(gvr).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range objects.Items {
		o := &objects.Items[i]
		if state.DerivedByOLM(gvr.Resource, o.Labels) {
			continue
		}
		line := fmt.Sprintf("%s %s/%s %s %d", gvr.GroupResource(), o.Namespace, o.Name, o.UID, o.Generation)
		s.writers[line] = lastWriter(o)
		if state.OwnedByHcctl(o.ManagedFields) {
			line += versionMark + o.ResourceVersion
		}
		s.lines = append(s.lines, line)
	}
	return nil
}

// What an operator removes late is waited for, what stays is told with who wrote it.
func TestAwaitSame(t *testing.T) {
	at := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		CreationTimestamp: at, ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "olm", Time: &at}}}}
	before := []string{"pods /a u1 1 resourceVersion 7"}
	now := snapshot{
		lines:   []string{"pods /a u1 1 resourceVersion 8", "pods /b u2 1"},
		writers: map[string]string{"pods /b u2 1": lastWriter(o)},
	}
	lists := 0
	late := func() (snapshot, error) {
		if lists++; lists > 1 {
			return snapshot{lines: now.lines[:1]}, nil
		}
		return now, nil
	}
	if diff, err := awaitSame(time.Minute, late, before, nothing); err != nil || len(diff) > 0 || lists != 2 {
		t.Errorf("an object that goes late: %q, %v after %d lists", diff, err, lists)
	}
	stays := func() (snapshot, error) { return now, nil }
	want := []string{"+ pods /b u2 1 (created 03:04:05, last written by olm 03:04:05)"}
	if diff, err := awaitSame(time.Millisecond, stays, before, nothing); err != nil || !slices.Equal(diff, want) {
		t.Errorf("an object that stays: %q, %v, want %q", diff, err, want)
	}
	if diff, err := awaitSame(time.Minute, stays, before, regexp.MustCompile("^pods /b ")); err != nil || len(diff) > 0 {
		t.Errorf("an object that is left out: %q, %v", diff, err)
	}
}

package e2e

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
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
// unwritten asks besides that objects in which hcctl owns fields have the same resourceVersion: not even an empty write
// happened, by nobody, so it is for a cluster at rest. Events and leases come and go by themselves.
func snapshotCommand(ts *testscript.TestScript, neg bool, args []string) {
	plain, except := len(args) == 2, len(args) == 4 && args[0] == "same" && args[2] == "except"
	if neg || !plain && !except {
		ts.Fatalf("usage: snapshot take NAME | snapshot same NAME [except REGEXP] | snapshot unwritten NAME")
	}
	h, name := harnessOf(ts), args[1]
	if args[0] == "take" {
		now, err := clusterOf(ts).atRest()
		ts.Check(err)
		h.snapshots[name] = now
		return
	}
	now, err := clusterOf(ts).everything()
	ts.Check(err)
	unwritten := args[0] == "unwritten"
	if args[0] == "same" {
		now = withoutVersions(now)
	}
	before, ok := h.snapshots[name]
	if args[0] != "same" && !unwritten || !ok {
		ts.Fatalf("no snapshot %s was taken", name)
	}
	if !unwritten {
		before = withoutVersions(before)
	}
	ignored := regexp.MustCompile("^$")
	if except {
		ignored, err = regexp.Compile(args[3])
		ts.Check(err)
	}
	if diff := difference(before, now, ignored); len(diff) > 0 {
		ts.Fatalf("the cluster is not as it was:\n%s", strings.Join(diff, "\n"))
	}
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
func (c *cluster) atRest() ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), settles)
	defer cancel()
	var now []string
	err := wait.PollUntilContextCancel(ctx, time.Second, true, func(context.Context) (bool, error) {
		before := now
		var err error
		now, err = c.everything()
		return slices.Equal(before, now), err
	})
	if wait.Interrupted(err) {
		err = nil
	}
	return now, err
}

// everything lists every object of the cluster, sorted: "KIND NAMESPACE/NAME UID GENERATION".
func (c *cluster) everything() ([]string, error) {
	kinds, err := state.Kinds(c.discovery)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, gvr := range kinds {
		if lines, err = c.appendObjects(lines, gvr); err != nil {
			return nil, fmt.Errorf("list %s: %w", gvr.GroupResource(), err)
		}
	}
	slices.Sort(lines)
	return lines, nil
}

func (c *cluster) appendObjects(lines []string, gvr schema.GroupVersionResource) ([]string, error) {
	ctx, cancel := requestContext()
	defer cancel()
	objects, err := c.metadata.Resource(gvr).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, o := range objects.Items {
		if state.DerivedByOLM(gvr.Resource, o.Labels) {
			continue
		}
		line := fmt.Sprintf("%s %s/%s %s %d", gvr.GroupResource(), o.Namespace, o.Name, o.UID, o.Generation)
		if state.OwnedByHcctl(o.ManagedFields) {
			line += versionMark + o.ResourceVersion
		}
		lines = append(lines, line)
	}
	return lines, nil
}

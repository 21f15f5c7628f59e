package chaos

import (
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hcctl/hcctl/e2e/program"
)

// plantForBootstrap is what a user has made on the management cluster before: a setting in an object that bootstrap changes, labels of
// their own, an operator of their own.
func (w *world) plantForBootstrap(t *testing.T) (intact func(*testing.T)) {
	t.Helper()
	w.merge(t, routers, "openshift-ingress-operator", "default",
		`{"metadata":{"annotations":{"example.com/owner":"somebody"}},"spec":{"routeAdmission":{"namespaceOwnership":"InterNamespaceAllowed"}}}`)
	w.make(t, namespaces, "", map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "somebodys"}})
	w.make(t, subscriptions, "somebodys", map[string]any{
		"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": map[string]any{"name": "somebodys-operator", "namespace": "somebodys"},
		"spec": map[string]any{"name": "somebodys-operator", "source": "redhat-operators", "sourceNamespace": "openshift-marketplace", "channel": "stable", "installPlanApproval": "Manual"},
	})
	return func(t *testing.T) {
		t.Helper()
		w.has(t, routers, "openshift-ingress-operator", "default", "InterNamespaceAllowed", "spec", "routeAdmission", "namespaceOwnership")
		w.has(t, routers, "openshift-ingress-operator", "default", "somebody", "metadata", "annotations", "example.com/owner")
		w.has(t, subscriptions, "somebodys", "somebodys-operator", "Manual", "spec", "installPlanApproval")
	}
}

// TestBootstrapKilledInTurn: bootstrap is killed at its boundaries in turn, at each write or, in the whole form, at each request; the run that goes
// through is made by two at once. What comes of it is what comes of an undisturbed run, and what a user made is there.
func TestBootstrapKilledInTurn(t *testing.T) {
	w := newWorld(t)
	intact := w.plantForBootstrap(t)
	args := []string{"bootstrap", "--yes", "--metallb-range", w.addresses}
	w.killedInTurn(t, !wholeLists(), args...)

	var both sync.WaitGroup
	ended := make([]program.Ended, 2)
	for i := range ended {
		run := w.direct.Start(t, args...)
		both.Go(func() { <-run.Over(); ended[i] = run.Wait(t) })
	}
	both.Wait()
	for i, e := range ended {
		if e.Code != 0 {
			t.Errorf("of two at once, number %d: %s", i+1, e)
		}
	}
	intact(t)
	after := w.written(t)
	w.direct.Must(t, args...)
	w.same(t, after, "after one more run, which has nothing to do")
	if !wholeLists() {
		return
	}
	undisturbed := newWorld(t)
	undisturbed.plantForBootstrap(t)
	undisturbed.addresses = w.addresses
	undisturbed.direct.Must(t, "bootstrap", "--yes", "--metallb-range", w.addresses)
	w.same(t, undisturbed.written(t), "after all the kills")
}

// TestBootstrapKilledAtEachWrite, in the whole form, kills bootstrap on a bare cluster once, at one write, and lets it run again; a cluster
// for each write.
func TestBootstrapKilledAtEachWrite(t *testing.T) {
	if !wholeLists() {
		t.Skip("a sandbox for each write takes half an hour: HCCTL_CHAOS=full (make chaos)")
	}
	undisturbed := newWorld(t)
	undisturbed.direct.Must(t, "bootstrap", "--yes", "--metallb-range", undisturbed.addresses)
	want := undisturbed.written(t)
	for i := 1; ; i++ {
		reached := false
		t.Run(fmt.Sprintf("boundary %d", i), func(t *testing.T) {
			w := newWorld(t)
			args := []string{"bootstrap", "--yes", "--metallb-range", undisturbed.addresses}
			if _, reached = w.killedAt(t, theNth(i, true), args...); reached {
				w.direct.Must(t, args...)
			}
			w.same(t, want, fmt.Sprintf("killed at boundary %d and run again", i))
		})
		if !reached {
			return
		}
	}
}

// TestBootstrapInterrupted, in the whole form, sends SIGINT and SIGTERM at moments of a bootstrap that chance says, and lets it run again each time.
func TestBootstrapInterrupted(t *testing.T) {
	if !wholeLists() {
		t.Skip("in the short form a ready cluster's bootstrap is interrupted (TestProcessFaults/signals): HCCTL_CHAOS=full (make chaos)")
	}
	w := newWorld(t)
	intact := w.plantForBootstrap(t)
	course := chance(t)
	args := []string{"bootstrap", "--yes", "--metallb-range", w.addresses}
	for range 12 {
		s := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[course.IntN(2)]
		interrupted(t, w.direct, s, 50*time.Millisecond+time.Duration(course.Int64N(int64(3*time.Second))), args...)
	}
	w.direct.Must(t, args...)
	intact(t)
	if left := w.direct.Left(t); len(left) > 0 {
		t.Errorf("files left behind: %v", left)
	}
}

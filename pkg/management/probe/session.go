package probe

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/informer"
)

const (
	// NamespacePrefix is the prefix of each probe's namespace. The probe and eight random characters follow.
	NamespacePrefix = hostedcluster.ProbePrefix
	// probeLabel is on each namespace of a probe; its value is the probe.
	probeLabel = "hcctl.dev/probe"
	// runAnnotation identifies the run.
	runAnnotation = "hcctl.dev/probe-run"
	// heartbeatAnnotation changes while the run is alive.
	heartbeatAnnotation = "hcctl.dev/probe-heartbeat"

	// heartbeatInterval is the time between two heartbeats. A run without a heartbeat for the time silence is dead.
	heartbeatInterval = 3 * time.Second
	silence           = 5 * heartbeatInterval
	// cleanupTime is the time limit for the deletion of a namespace.
	cleanupTime = 90 * time.Second
)

// removeHint describes how to remove the namespaces of probes.
func removeHint() hint.Text {
	return hint.New("oc get namespaces -l %s; the next %s removes them, too", probeLabel, hint.Run("check").Flag("probe"))
}

// namespaceForm matches the names of probes' namespaces.
var namespaceForm = lazyregexp.New(`^` + NamespacePrefix + `([a-z-]+)-[a-z0-9]{8}$`)

// run is one run of probes.
type run struct {
	client  *kube.Client
	options Options
	// id is the random value of runAnnotation.
	id string
}

func newRun(c *kube.Client, o Options) *run { return &run{client: c, options: o, id: random()} }

// random returns eight random characters for a name.
func random() string { return strings.ToLower(rand.Text()[:8]) }

// session is the environment of a running probe: its namespace, and informers to wait with.
type session struct {
	*run
	namespace string
	informers *informer.Informers
	// uid is the namespace's, or "" if it is unknown whether the namespace exists.
	uid types.UID
	// stop ends the heartbeat. stopped waits for its end.
	stop    context.CancelFunc
	stopped sync.WaitGroup
}

// begin creates the namespace of a probe and starts its heartbeat. The session must be ended, even after an error.
func (r *run) begin(ctx context.Context, p Probe) (*session, error) {
	beating, stop := context.WithCancel(context.WithoutCancel(ctx))
	s := &session{run: r, namespace: NamespacePrefix + p.part() + "-" + random(), stop: stop,
		informers: r.client.NewInformers(ctx)}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name:        s.namespace,
		Labels:      map[string]string{kube.ManagedByLabel: kube.FieldOwner, probeLabel: p.part()},
		Annotations: map[string]string{runAnnotation: r.id, heartbeatAnnotation: "0"},
	}}
	if !p.Unrestricted {
		ns.Labels["pod-security.kubernetes.io/enforce"] = "restricted"
	}
	if err := r.client.Create(ctx, ns, client.FieldOwner(kube.FieldOwner)); err != nil {
		return s, err
	}
	s.uid = ns.UID
	s.stopped.Go(func() { s.beat(beating) })
	return s, nil
}

// beat updates the heartbeat until ctx ends. It continues after an error, because the next update may succeed.
func (s *session) beat(ctx context.Context) {
	tick := time.NewTicker(heartbeatInterval)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		once, cancel := context.WithTimeout(ctx, heartbeatInterval)
		patch := fmt.Sprintf(`{"metadata":{"uid":%q,"annotations":{%q:"%d"}}}`, s.uid, heartbeatAnnotation, n)
		_ = s.client.Patch(once, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.namespace}},
			client.RawPatch(types.MergePatchType, []byte(patch)), client.FieldOwner(kube.FieldOwner))
		cancel()
	}
}

// end deletes the namespace and waits until it is gone. Cancelling ctx does not shorten that.
func (s *session) end(ctx context.Context) error {
	s.stop()
	s.stopped.Wait()
	s.informers.Close()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	if s.uid == "" {
		// The creation failed, or its response was lost.
		ns := &corev1.Namespace{}
		err := s.client.Get(ctx, types.NamespacedName{Name: s.namespace}, ns)
		switch {
		case apierrors.IsNotFound(err), kube.IsNotPermitted(err):
			return nil
		case err != nil:
			return fmt.Errorf("whether namespace %s was made is not known: %s", s.namespace, kube.Explain(err))
		case ns.Annotations[runAnnotation] != s.id:
			return nil
		}
		s.uid = ns.UID
	}
	return remove(ctx, s.client, s.namespace, s.uid)
}

// remove deletes a namespace and waits until it is gone.
func remove(ctx context.Context, c *kube.Client, name string, uid types.UID) error {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	ns.UID = uid
	err := retried(ctx, func() error {
		_, err := c.DeleteByUID(ctx, ns)
		return err
	})
	if apierrors.IsConflict(err) {
		return nil // deleted; another namespace has the name
	}
	if err != nil {
		return fmt.Errorf("namespace %s is still there: %s", name, kube.Explain(err))
	}
	informers := c.NewInformers(ctx)
	defer informers.Close()
	watch := informers.Watch()
	defer watch.Close()
	for {
		err := c.Reader(watch).Get(ctx, types.NamespacedName{Name: name}, ns)
		if apierrors.IsNotFound(err) || err == nil && ns.UID != uid {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("namespace %s is still being deleted: %w", name, errNotGone)
		case <-watch.Changed():
		case <-time.After(lookInterval):
		}
	}
}

var errNotGone = errors.New("it was not gone in time")

// retried repeats a write while its error is transient and ctx lasts.
func retried(ctx context.Context, write func() error) error {
	for {
		err := write()
		if err == nil || !kube.IsTransient(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Second):
		}
	}
}

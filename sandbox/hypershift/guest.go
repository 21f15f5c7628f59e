package hypershift

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/hcctl/hcctl/sandbox/crds"
	"github.com/hcctl/hcctl/sandbox/operator"
)

// guests are the API servers of hosted clusters, one for each control plane namespace, up to a limit; beyond it they are
// played in memory.
type guests struct {
	limit int
	// doors: played guests answer at their address.
	doors   bool
	changes chan event.GenericEvent

	mu      sync.Mutex
	servers operator.APIServers
	running map[string]*guest
}

// guest is one of them. Its fields but state are set before it is shared.
type guest struct {
	address string
	state   guestState
	retry   time.Time // not before this is a failed start tried again
	done    chan struct{}
	// told is what ClusterVersion and cluster operators in the guest were last written as.
	told string
}

// guestState is what there is to know about a guest's API server.
type guestState struct {
	phase guestPhase
	// door is where a played guest answers; nil if nobody does.
	door   *door
	handle *operator.APIServerHandle
	client client.Client
	err    error
}

type guestPhase int

const (
	guestNone     guestPhase = iota // there is none, because nobody asked yet
	guestStarting                   // it is on its way
	guestFailed                     // it did not come up; asking again tries again
	guestRunning
)

// guestStart bounds how long a guest may take to come up on a machine with much else to do.
const guestStart = 90 * time.Second

// guestRetry is how long a failed start is left alone.
const guestRetry = 3 * time.Second

func newGuests(limit int) *guests {
	return &guests{limit: limit, changes: make(chan event.GenericEvent, 64), running: map[string]*guest{}}
}

func (g *guests) use(servers operator.APIServers) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.servers = servers
}

// look says how the guest of a control plane namespace is.
func (g *guests) look(namespace string) guestState {
	g.mu.Lock()
	defer g.mu.Unlock()
	if got, ok := g.running[namespace]; ok {
		return got.state
	}
	return guestState{}
}

// ensure starts the guest of a control plane namespace unless it runs already, and says how it is now. It does not
// wait: when the guest is up, changes tells.
func (g *guests) ensure(namespace, address string) guestState {
	g.mu.Lock()
	defer g.mu.Unlock()
	got, ok := g.running[namespace]
	switch {
	case ok && (got.state.phase == guestStarting || got.state.phase == guestFailed && time.Now().Before(got.retry)):
		return got.state
	case ok && got.state.phase == guestRunning && (got.address == address || got.state.handle == nil):
		return got.state
	case ok && got.state.phase == guestRunning:
		// Its address is another one now: it moves, with its data.
		if err := got.state.handle.Stop(false); err != nil {
			return guestState{phase: guestFailed, err: err}
		}
	case ok && !g.doors:
	case g.servers == nil || g.served() >= g.limit:
		fresh := &guest{address: address, state: playedGuest(), done: make(chan struct{})}
		close(fresh.done)
		if g.doors {
			fresh.open()
		}
		g.running[namespace] = fresh
		return fresh.state
	}
	fresh := &guest{address: address, state: guestState{phase: guestStarting}, done: make(chan struct{})}
	g.running[namespace] = fresh
	go g.start(namespace, fresh, g.servers)
	return fresh.state
}

// served counts the guests that have an API server.
func (g *guests) served() int {
	n := 0
	for _, guest := range g.running {
		if !guest.state.played() {
			n++
		}
	}
	return n
}

func (g *guests) start(namespace string, fresh *guest, servers operator.APIServers) {
	ctx, cancel := context.WithTimeout(context.Background(), guestStart)
	defer cancel()
	state := startGuest(ctx, servers, namespace, fresh.address)
	g.mu.Lock()
	fresh.state, fresh.retry = state, time.Now().Add(guestRetry)
	close(fresh.done)
	g.mu.Unlock()
	g.tell(namespace)
}

// tell lets the controllers look again. A full channel means that they are about to.
func (g *guests) tell(namespace string) {
	o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: namespace}}
	select {
	case g.changes <- event.GenericEvent{Object: o}:
	default:
	}
}

func startGuest(ctx context.Context, servers operator.APIServers, namespace, address string) guestState {
	bind, port := bindAddress(address)
	handle, err := servers.Start(ctx, namespace, bind, port, []string{address, "kube-apiserver", "kube-apiserver." + namespace + ".svc"})
	if err != nil {
		return guestState{phase: guestFailed, err: err}
	}
	c, err := guestClient(handle)
	if err == nil {
		err = crds.InstallSome(ctx, c, crds.Birth, "clusteroperators.config.openshift.io", "clusterversions.config.openshift.io")
	}
	if err == nil {
		return guestState{phase: guestRunning, handle: handle, client: c}
	}
	return guestState{phase: guestFailed, err: errors.Join(fmt.Errorf("reach the guest in %s: %w", namespace, err), handle.Stop(false))}
}

func guestClient(handle *operator.APIServerHandle) (client.WithWatch, error) {
	scheme, err := guestScheme()
	if err != nil {
		return nil, err
	}
	config := rest.CopyConfig(handle.Config)
	config.QPS = -1
	return client.NewWithWatch(config, client.Options{Scheme: scheme})
}

// guestScheme knows the kinds of a guest.
func guestScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	err := errors.Join(clientgoscheme.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme), configv1.Install(scheme))
	return scheme, err
}

// bindAddress is where a guest listens: on its load balancer address if that is this machine's own (127.0.0.0/8), else
// on a free loopback port, and then its kubeconfig says so.
func bindAddress(address string) (string, int) {
	if a, err := netip.ParseAddr(address); err == nil && a.Is4() && a.IsLoopback() {
		return address, apiPort
	}
	return "127.0.0.1", 0
}

// drop ends the guest of a control plane namespace and deletes its data.
func (g *guests) drop(namespace string) error {
	g.mu.Lock()
	got, ok := g.running[namespace]
	g.mu.Unlock()
	if !ok {
		return nil
	}
	<-got.done
	g.mu.Lock()
	defer g.mu.Unlock()
	if got.state.handle != nil {
		if err := got.state.handle.Stop(true); err != nil {
			return fmt.Errorf("end the guest API server of %s: %w", namespace, err)
		}
	}
	if got.state.door != nil {
		got.state.door.close()
	}
	delete(g.running, namespace)
	return nil
}

func (g *guests) toldAlready(namespace, what string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	got, ok := g.running[namespace]
	return ok && got.told == what
}

func (g *guests) told(namespace, what string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if got, ok := g.running[namespace]; ok {
		got.told = what
	}
}

// Package guest runs the API servers of hosted clusters, or keeps their objects in memory, and simulates their cluster
// version operator.
package guest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"strconv"
	"strings"
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
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/operator"
)

// Servers are the API servers of hosted clusters, one for each control plane namespace, up to a limit. The other guests
// are simulated in memory.
type Servers struct {
	limit int
	// HealthEndpoints makes guests in memory answer health checks at their address.
	HealthEndpoints bool
	Changes         chan event.GenericEvent

	mu      sync.Mutex
	servers operator.APIServers
	running map[string]*server
	keys    map[string]keyPair // by namespace and address
}

// server is the API server of one guest. Its fields but state are set before it is shared.
type server struct {
	at    Endpoint
	state State
	retry time.Time // earliest time to retry a failed start
	done  chan struct{}
	// authentication is the AuthenticationConfiguration that the server was given last.
	authentication string
	// reported is the summary of the last report of ClusterVersion and ClusterOperators.
	reported string
}

// Endpoint is where clients reach a guest's API server.
type Endpoint struct {
	// Host is what clients are told: a name that the user chose, or Address.
	Host string
	// Address is that of the load balancer, or of the node whose port is published.
	Address string
	Port    int
}

// String is the Host with the port.
func (e Endpoint) String() string { return net.JoinHostPort(e.Host, strconv.Itoa(e.Port)) }

// State is the state of a guest's API server.
type State struct {
	Phase Phase
	// Health answers health checks of a guest in memory; nil if there is none.
	Health *healthEndpoint
	Handle *operator.APIServerHandle
	Client client.Client
	err    error
}

// Phase is the phase of a guest's API server.
type Phase int

const (
	// NotStarted is a guest that no controller has requested.
	NotStarted Phase = iota
	// Starting is a guest whose API server is starting.
	Starting
	// Failed is a guest whose API server did not start. Ensure retries it.
	Failed
	// Running is a guest that can be read and written.
	Running
	// Stopped is a guest whose API server has been scaled to zero. Its data stay.
	Stopped
)

// startTimeout bounds the start of a guest on a busy machine.
const startTimeout = 90 * time.Second

// retryDelay is the delay before a failed start is retried.
const retryDelay = 3 * time.Second

// NewServers makes up to limit API servers. Further guests are in memory.
func NewServers(limit int) *Servers {
	return &Servers{limit: limit, Changes: make(chan event.GenericEvent, 64), running: map[string]*server{},
		keys: map[string]keyPair{}}
}

// SetAPIServers sets the starter of further guests' API servers.
func (g *Servers) SetAPIServers(servers operator.APIServers) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.servers = servers
}

// Get returns the state of the guest of a control plane namespace.
func (g *Servers) Get(namespace string) State {
	g.mu.Lock()
	defer g.mu.Unlock()
	if got, ok := g.running[namespace]; ok {
		return got.state
	}
	return State{}
}

// Ensure starts the guest of a control plane namespace unless it runs, and returns its state without waiting. The
// channel changes reports when the guest is up. Its certificate names the host of the endpoint, too.
func (g *Servers) Ensure(namespace string, at Endpoint) State {
	g.mu.Lock()
	defer g.mu.Unlock()
	got, ok := g.running[namespace]
	switch {
	case ok && (got.state.Phase == Starting || got.state.Phase == Failed && time.Now().Before(got.retry)):
		return got.state
	case ok && got.state.InMemory():
		if err := g.answerHealth(namespace, got); err != nil {
			return State{Phase: Failed, err: err}
		}
		return got.state
	case ok && got.state.Phase == Running && got.at.Address == at.Address && got.at.Port == at.Port:
		return got.state
	case ok && got.state.Phase == Running:
		// Its address has changed: it restarts there with its data.
		if err := got.state.Handle.Stop(false); err != nil {
			return State{Phase: Failed, err: err}
		}
	case ok && (got.state.Phase == Stopped || !g.HealthEndpoints):
	case g.servers == nil || g.countServed() >= g.limit:
		fresh := &server{at: at, state: inMemory(), done: make(chan struct{})}
		close(fresh.done)
		if err := g.answerHealth(namespace, fresh); err != nil {
			return State{Phase: Failed, err: err}
		}
		g.running[namespace] = fresh
		return fresh.state
	}
	own, err := g.keyPair(namespace, at)
	if err != nil {
		return State{Phase: Failed, err: err}
	}
	fresh := &server{at: at, state: State{Phase: Starting}, done: make(chan struct{})}
	g.running[namespace] = fresh
	go g.start(namespace, fresh, g.servers, own)
	return fresh.state
}

// countServed counts the guests that have an API server.
func (g *Servers) countServed() int {
	n := 0
	for _, guest := range g.running {
		if !guest.state.InMemory() {
			n++
		}
	}
	return n
}

func (g *Servers) start(namespace string, fresh *server, servers operator.APIServers, own keyPair) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	state := startGuest(ctx, servers, namespace, fresh.at, own)
	g.mu.Lock()
	fresh.state, fresh.retry = state, time.Now().Add(retryDelay)
	close(fresh.done)
	g.mu.Unlock()
	g.Notify(namespace)
}

// Notify triggers a reconcile. If the channel is full, a reconcile is pending already.
func (g *Servers) Notify(namespace string) {
	o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: namespace}}
	select {
	case g.Changes <- event.GenericEvent{Object: o}:
	default:
	}
}

func startGuest(ctx context.Context, servers operator.APIServers, namespace string, at Endpoint, own keyPair) State {
	var handle *operator.APIServerHandle
	var err error
	if bind, port := at.bind(); at.local() {
		handle, err = servers.StartWith(ctx, namespace, bind, port, own.serving())
	} else {
		handle, err = servers.Start(ctx, namespace, bind, port,
			[]string{at.Address, "kube-apiserver", "kube-apiserver." + namespace + ".svc"})
	}
	if err != nil {
		return State{Phase: Failed, err: err}
	}
	c, err := guestClient(handle)
	if err == nil {
		err = crds.InstallSome(ctx, c, crds.Birth, "clusteroperators.config.openshift.io",
			"clusterversions.config.openshift.io", "volumesnapshotclasses.snapshot.storage.k8s.io",
			"volumesnapshotcontents.snapshot.storage.k8s.io", "volumesnapshots.snapshot.storage.k8s.io")
	}
	if err == nil {
		return State{Phase: Running, Handle: handle, Client: c}
	}
	return State{Phase: Failed, err: errors.Join(fmt.Errorf("reach the guest in %s: %w", namespace, err),
		handle.Stop(false))}
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

// BindAddress returns the listen address of a guest behind a load balancer: its address if that is local
// (127.0.0.0/8), else a free loopback port, which its kubeconfig then names.
func BindAddress(address string) (string, int) {
	return Endpoint{Address: address, Port: metadata.APIPort}.bind()
}

func (e Endpoint) bind() (string, int) {
	if a, err := netip.ParseAddr(e.Address); err == nil && a.Is4() && a.IsLoopback() {
		return e.Address, e.Port
	}
	return "127.0.0.1", 0
}

// local reports whether an API server can listen at the endpoint.
func (e Endpoint) local() bool {
	bind, _ := e.bind()
	return bind == e.Address
}

// Stop ends the API server of a guest and keeps its data; Ensure starts it again. A guest in memory goes on, but
// answers no health checks.
func (g *Servers) Stop(namespace string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	got, ok := g.running[namespace]
	if ok && got.state.Health != nil {
		got.state.Health.close()
		got.state.Health = nil
	}
	if !ok || got.state.Handle == nil {
		return nil
	}
	if err := got.state.Handle.Stop(false); err != nil {
		return fmt.Errorf("stop the guest API server of %s: %w", namespace, err)
	}
	got.state, got.reported = State{Phase: Stopped}, ""
	return nil
}

// Resume starts a stopped guest again where it was.
func (g *Servers) Resume(namespace string) {
	g.mu.Lock()
	got, ok := g.running[namespace]
	stopped := ok && (got.state.Phase == Stopped || got.state.InMemory())
	g.mu.Unlock()
	if stopped {
		g.Ensure(namespace, got.at)
	}
}

// Remove ends the guest of a control plane namespace and deletes its data.
func (g *Servers) Remove(namespace string) error {
	g.mu.Lock()
	got, ok := g.running[namespace]
	g.mu.Unlock()
	if !ok {
		return nil
	}
	<-got.done
	g.mu.Lock()
	defer g.mu.Unlock()
	if got.state.Handle != nil {
		if err := got.state.Handle.Stop(true); err != nil {
			return fmt.Errorf("end the guest API server of %s: %w", namespace, err)
		}
	}
	if got.state.Health != nil {
		got.state.Health.close()
	}
	delete(g.running, namespace)
	maps.DeleteFunc(g.keys, func(id string, _ keyPair) bool { return strings.HasPrefix(id, namespace+" ") })
	return nil
}

// SetAuthentication gives a running guest an AuthenticationConfiguration, unless it has that one.
func (g *Servers) SetAuthentication(namespace string, config []byte) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	got, ok := g.running[namespace]
	if !ok || got.state.Phase != Running || got.state.Handle == nil || got.authentication == string(config) {
		return nil
	}
	if err := got.state.Handle.SetAuthentication(config); err != nil {
		return fmt.Errorf("authentication of the guest in %s: %w", namespace, err)
	}
	got.authentication = string(config)
	return nil
}

// Reported reports whether the guest has the report with this summary.
func (g *Servers) Reported(namespace, what string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	got, ok := g.running[namespace]
	return ok && got.reported == what
}

// SetReported notes the summary of the guest's last report.
func (g *Servers) SetReported(namespace, what string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if got, ok := g.running[namespace]; ok {
		got.reported = what
	}
}

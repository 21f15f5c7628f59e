package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hcctl/hcctl/sandbox/cluster/apiserver"
	"github.com/hcctl/hcctl/sandbox/cluster/container"
	"github.com/hcctl/hcctl/sandbox/cluster/pki"
	"github.com/hcctl/hcctl/sandbox/operator"
)

// guests starts the API servers of hosted clusters. It implements operator.APIServers.
type guests struct {
	sandbox *Sandbox
	mu      sync.Mutex
	running map[string]bool
}

// guestArgs keep a guest small: it holds a few nodes and the objects of a test. It runs no controllers, so the
// admission plugins that depend on them are off.
var guestArgs = []string{
	"--disable-admission-plugins=TaintNodesByCondition,ServiceAccount",
	"--watch-cache=false",
}

// Start implements operator.APIServers.
func (g *guests) Start(ctx context.Context, name, bindAddress string, port int,
	extraSANs []string) (*operator.APIServerHandle, error) {
	return g.start(ctx, name, apiserver.Spec{Bind: bindAddress, Port: port, Names: extraSANs})
}

// StartWith implements operator.APIServers.
func (g *guests) StartWith(ctx context.Context, name, bindAddress string, port int,
	certs operator.ServingCerts) (*operator.APIServerHandle, error) {
	return g.start(ctx, name, apiserver.Spec{Bind: bindAddress, Port: port, Serving: &apiserver.Serving{
		KeyPair: pki.KeyPair{Cert: certs.Cert, Key: certs.Key}, CA: certs.CA, ClientCA: certs.ClientCA,
		Internal: pki.KeyPair{Cert: certs.InternalCert, Key: certs.InternalKey},
	}})
}

// start starts an API server with the guests' settings.
func (g *guests) start(ctx context.Context, name string, spec apiserver.Spec) (*operator.APIServerHandle, error) {
	if !g.claim(name) {
		return nil, fmt.Errorf("guest API server %s is running already", name)
	}
	s := g.sandbox
	prefix := container.GuestPrefix(name)
	spec.Label, spec.Prefix, spec.ServiceCIDR, spec.Args = "guest-"+name, prefix, "172.31.0.0/16", guestArgs
	spec.OpenAPI, spec.Authentication = s.opts.OpenAPI, true
	spec.GiveUp = func(err error) { s.procs.Report(err.Error()) }
	server, err := apiserver.Start(s.life, s.procs, s.db, s.dir.Run(), spec)
	if err != nil {
		g.release(name)
		return nil, err
	}
	var once sync.Once
	stop := func(deleteData bool) error {
		once.Do(func() {
			server.Close(s.log)
			g.release(name)
		})
		if !deleteData {
			return nil
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		return s.db.DeletePrefix(ctx, prefix+"/")
	}
	if err := server.WaitReady(ctx); err != nil {
		return nil, errors.Join(err, stop(false))
	}
	kubeconfig, err := pki.Kubeconfig(server.Host, server.Roots, "admin", server.Admin)
	if err != nil {
		return nil, errors.Join(err, stop(false))
	}
	return &operator.APIServerHandle{
		Host: server.Host, CA: server.Roots, Config: server.Config(), Kubeconfig: kubeconfig, Stop: stop,
		SetAuthentication: server.SetAuthentication,
	}, nil
}

func (g *guests) claim(name string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running[name] {
		return false
	}
	g.running[name] = true
	return true
}

// runs reports whether the API server called name runs.
func (g *guests) runs(name string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.running[name]
}

func (g *guests) release(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.running, name)
}

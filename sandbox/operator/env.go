// Package operator runs the simulated operators. An operator runs only while OLM (or another installer) keeps its
// Deployment available, and the speed of the sandbox scales its delays.
package operator

import (
	"context"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/profile"
	"github.com/hcctl/hcctl/sandbox/world"
)

// Env is the environment of a simulated operator.
type Env struct {
	// Config reaches the management cluster as cluster admin.
	Config *rest.Config
	// Live reads and writes without a cache.
	Live client.Client
	// Client reads the kinds that the operator watches from its cache, and everything else like Live. At the start of the
	// sandbox it is like Live, and retries while the API server cannot answer.
	Client client.Client
	// Scheme knows every typed kind that the sandbox uses.
	Scheme *runtime.Scheme
	// Profile is the OpenShift that this sandbox simulates.
	Profile profile.Profile
	// Finished reports whether the cluster has objects with FinishedLabel.
	Finished bool
	// RealHyperShift reports whether the vendor's own HyperShift runs.
	RealHyperShift bool
	// Pace scales the operator's delays.
	Pace Pace
	// Faults are the injected faults.
	Faults *fault.Set
	// Dir is a private scratch directory of this sandbox.
	Dir string
	// Net has this sandbox's own loopback addresses.
	Net world.Net
	// Processes starts and ends child processes (the real MetalLB controller, guest API servers).
	Processes Processes
	// APIs adds aggregated API groups to the management cluster.
	APIs AggregatedAPIs
	// APIServers starts guest API servers.
	APIServers APIServers
}

// FinishedLabel marks finished objects, which no operator works on; there may be thousands of them. It is a label, not
// an annotation, so that the API server can filter them out of the operators' caches.
const FinishedLabel = "sandbox.hcctl.dev/finished"

// Operator is one simulated operator.
type Operator struct {
	// Name is for logs, such as "metallb-operator".
	Name string
	// Deployment must be Available while the operator runs. The zero value means always (operators that are part of
	// OpenShift itself, such as the ingress operator).
	Deployment types.NamespacedName
	// Setup adds the operator's controllers to a new manager, each time the operator starts. Everything that it starts
	// must end with ctx.
	Setup func(ctx context.Context, mgr ctrl.Manager, env Env) error
}

// Pace scales the delays of simulated operators. Speed 1 is the slowest.
type Pace struct{ Speed float64 }

// Scale returns d divided by the speed.
func (p Pace) Scale(d time.Duration) time.Duration {
	if p.Speed <= 0 {
		return d
	}
	return time.Duration(float64(d) / p.Speed)
}

// Processes runs children of the sandbox. They end with the sandbox, also if it is killed.
type Processes interface {
	// Start runs a program beside the sandbox's own binary (name "" is that binary itself) with args and extra
	// environment; its output goes to <DIR>/logs/<label>.log. The child ends with ctx, and done is closed when it has
	// ended; the sandbox logs a child that ends early.
	Start(ctx context.Context, label, name string, args, env []string) (done <-chan struct{}, err error)
	// Keep does the same, and starts a child that ends by itself again as a kubelet does with a container, with growing
	// pauses. If it ends again and again, the sandbox ends.
	Keep(ctx context.Context, label, name string, args, env []string) (done <-chan struct{}, err error)
}

// APIResource is one entry of an aggregated API's discovery.
type APIResource struct {
	// Name is the plural, such as packagemanifests, or a subresource such as virtualmachines/start.
	Name string
	// Kind is the kind of the objects, such as PackageManifest.
	Kind string
	// Namespaced reports whether the objects are in namespaces.
	Namespaced bool
	// Verbs are the supported verbs, such as get and list.
	Verbs []string
}

// AggregatedAPIs adds API groups that the sandbox serves itself, through the API server's aggregation layer.
type AggregatedAPIs interface {
	// Register serves one group and version, or replaces its handler and resources. It writes an APIService and the
	// Service service, whose namespace must exist (on real clusters such as openshift-cnv/virt-api); the API server may
	// need some seconds more to use them.
	//
	// Discovery is answered from resources. Every other request under /apis/<group>/<version>/ goes to handler with its
	// path unchanged, after the API server has authenticated and authorized it.
	Register(ctx context.Context, group, version string, service types.NamespacedName, handler http.Handler,
		resources ...APIResource) error
	// Unregister removes the group and version with its APIService and Service. An unknown version is no error.
	Unregister(ctx context.Context, group, version string) error
}

// APIServers starts the API servers of hosted clusters. They share the sandbox's etcd, each under its own prefix.
type APIServers interface {
	// Start starts the API server called name (a DNS-1123 label, unique in the sandbox) on bindAddress:port, where port
	// 0 takes a free one, and returns once it answers /readyz. It logs to <DIR>/logs/guest-<name>.log and lives until
	// Stop or the end of the sandbox; ctx bounds the start only.
	//
	// Its serving certificate is valid for localhost, 127.0.0.1, bindAddress, the in-cluster names and extraSANs (DNS
	// names or IP addresses). A name that was stopped without deleting its data comes back with that data and a new
	// certificate authority.
	//
	// A used address, or a server that is not ready before ctx ends, is an error. Nothing remains then.
	Start(ctx context.Context, name, bindAddress string, port int, extraSANs []string) (*APIServerHandle, error)
	// StartWith does the same with certificates that exist already, such as those of the vendor's control-plane-operator.
	StartWith(ctx context.Context, name, bindAddress string, port int, certs ServingCerts) (*APIServerHandle, error)
}

// ServingCerts are the certificates of an API server, PEM.
type ServingCerts struct {
	// Cert and Key are what it serves with, CA signed them.
	Cert, Key, CA []byte
	// InternalCert and InternalKey are for clients that call it by the names in this certificate.
	InternalCert, InternalKey []byte
	// ClientCA are the authorities of its clients, besides its own.
	ClientCA []byte
}

// APIServerHandle is a running API server.
type APIServerHandle struct {
	// Host is its URL, such as https://127.0.217.32:6443.
	Host string
	// CA is the PEM certificate authority of its serving certificate.
	CA []byte
	// Config is a cluster admin's client configuration.
	Config *rest.Config
	// Kubeconfig is the same as a file: cluster "cluster", user "admin", context "admin", inline certificates.
	Kubeconfig []byte
	// SetAuthentication replaces its AuthenticationConfiguration (apiserver.config.k8s.io/v1), empty for none.
	SetAuthentication func(config []byte) error
	// Stop ends the server and waits until it has ended; with deleteData it also deletes the server's keys in etcd. A
	// second call does nothing.
	Stop func(deleteData bool) error
}

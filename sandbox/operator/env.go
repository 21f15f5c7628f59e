// Package operator is the frame every simulated operator lives in: it runs only while OLM (or whoever installs it) has
// its Deployment available, and it takes its time.
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

// Env is what a simulated operator gets from the sandbox.
type Env struct {
	// Config reaches the management cluster as cluster admin.
	Config *rest.Config
	// Client reads and writes without a cache.
	Client client.Client
	// Scheme knows every typed kind the sandbox uses.
	Scheme *runtime.Scheme
	// Profile is the OpenShift this sandbox plays.
	Profile profile.Profile
	// Finished: there are objects with FinishedLabel.
	Finished bool
	// Pace scales the operator's delays.
	Pace Pace
	// Faults are what goes wrong on purpose.
	Faults *fault.Set
	// Dir is a private scratch folder of this sandbox.
	Dir string
	// Net has the loopback addresses that are this sandbox's own.
	Net world.Net
	// Processes starts and ends child processes (the real MetalLB controller, guest API servers).
	Processes Processes
	// APIs adds aggregated API groups to the management cluster.
	APIs AggregatedAPIs
	// APIServers starts guest API servers.
	APIServers APIServers
}

// FinishedLabel is on objects that no operator works on: they are finished, and there may be thousands of them. It is a
// label and no annotation so that the API server itself keeps them out of the operators' caches.
const FinishedLabel = "sandbox.hcctl.dev/finished"

// Operator is one simulated operator.
type Operator struct {
	// Name is for logs, such as "metallb-operator".
	Name string
	// Deployment must be Available for the operator to live. The zero value means always alive (operators that are
	// part of OpenShift itself, such as the ingress operator).
	Deployment types.NamespacedName
	// Setup adds the operator's controllers to a fresh manager. It is called each time the operator comes to life;
	// everything it starts must end with ctx.
	Setup func(ctx context.Context, mgr ctrl.Manager, env Env) error
}

// Pace scales the delays of simulated operators. Speed 1 is the slowest; higher is faster.
type Pace struct{ Speed float64 }

// Scale returns d divided by the speed.
func (p Pace) Scale(d time.Duration) time.Duration {
	if p.Speed <= 0 {
		return d
	}
	return time.Duration(float64(d) / p.Speed)
}

// Processes runs children of the sandbox: they are ended with the sandbox, and end by themselves if it is killed.
type Processes interface {
	// Start runs the program found beside the sandbox's own binary (name "" is that binary itself) with args and extra
	// environment, its output going to <DIR>/logs/<label>.log. The child is ended when ctx ends; done is closed
	// once it is gone, and a child that ends early is reported in the sandbox's log.
	Start(ctx context.Context, label, name string, args, env []string) (done <-chan struct{}, err error)
}

// APIResource is one entry of an aggregated API's discovery.
type APIResource struct {
	// Name is the plural, such as packagemanifests, or a subresource such as virtualmachines/start.
	Name string
	// Kind of the objects, such as PackageManifest.
	Kind string
	// Namespaced tells whether the resource lives in namespaces.
	Namespaced bool
	// Verbs are the verbs on offer, such as get and list.
	Verbs []string
}

// AggregatedAPIs adds API groups that are served by the sandbox itself and reached through the API server's
// aggregation layer.
type AggregatedAPIs interface {
	// Register serves one group and version: it creates the APIService and the Service it names and returns once both
	// are written; the API server may need some seconds more until it asks. Discovery is answered from resources; every
	// other request under /apis/<group>/<version>/ goes to handler with its path unchanged, after the API server has
	// authenticated and authorized it. service is the Service the APIService names (on real clusters such as
	// openshift-cnv/virt-api); its namespace must exist. Registering again replaces handler and resources.
	Register(ctx context.Context, group, version string, service types.NamespacedName, handler http.Handler,
		resources ...APIResource) error
	// Unregister takes the group and version away again, APIService and Service included. What is not registered is
	// no error.
	Unregister(ctx context.Context, group, version string) error
}

// APIServers starts further real API servers beside the management cluster's: the control planes of hosted clusters.
// They share the sandbox's etcd, each under its own prefix.
type APIServers interface {
	// Start brings up the API server called name (a DNS-1123 label, unique in the sandbox; its log is
	// <DIR>/logs/guest-<name>.log) on bindAddress:port and returns once it answers /readyz. Port 0 takes a free one.
	// Its serving certificate is valid for localhost, 127.0.0.1, bindAddress, the in-cluster names and extraSANs (DNS
	// names or IP addresses). A name that was stopped without deleting its data comes back with that data and a new
	// certificate authority. The server lives until Stop or the end of the sandbox; ctx bounds the start only.
	// An address already in use, or a server that does not become ready within ctx, is an error and leaves nothing.
	Start(ctx context.Context, name, bindAddress string, port int, extraSANs []string) (*APIServerHandle, error)
}

// APIServerHandle is a running API server.
type APIServerHandle struct {
	// Host is its URL, such as https://127.0.217.32:6443.
	Host string
	// CA is the PEM certificate authority that signed its serving certificate.
	CA []byte
	// Config reaches it as cluster admin.
	Config *rest.Config
	// Kubeconfig is the same as a file: cluster "cluster", user "admin", context "admin", certificates inline.
	Kubeconfig []byte
	// Stop ends the server and returns once it is gone; with deleteData its keys in etcd go too. Calling it again is
	// harmless.
	Stop func(deleteData bool) error
}

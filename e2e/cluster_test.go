package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
)

// requestTime bounds the API requests of one command.
const requestTime = 30 * time.Second

// cluster lets scripts read the cluster directly, without hcctl's code.
type cluster struct {
	dynamic   dynamic.Interface
	metadata  metadata.Interface
	discovery discovery.DiscoveryInterface
	mapper    meta.RESTMapper
}

// clusterOf is the cluster of the script's KUBECONFIG.
func clusterOf(ts *testscript.TestScript) *cluster {
	h, path := harnessOf(ts), ts.MkAbs(ts.Getenv("KUBECONFIG"))
	if c := h.clusters[path]; c != nil {
		return c
	}
	c, err := connect(path)
	ts.Check(err)
	h.clusters[path] = c
	return c
}

func connect(kubeconfig string) (*cluster, error) {
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("KUBECONFIG: %w", err)
	}
	cfg.QPS = -1
	cfg.Timeout = requestTime
	cfg.UserAgent = "hcctl-e2e"
	cfg.WarningHandler = rest.NoWarnings{}
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return retryReads{next} })
	c := &cluster{}
	if c.dynamic, err = dynamic.NewForConfig(cfg); err != nil {
		return nil, err
	}
	if c.metadata, err = metadata.NewForConfig(cfg); err != nil {
		return nil, err
	}
	c.discovery, err = discovery.NewDiscoveryClientForConfig(cfg)
	return c, err
}

// kind finds a kind by plural and group, such as nodepools.hypershift.openshift.io. Its CRD may be new.
func (c *cluster) kind(name string) (*meta.RESTMapping, error) {
	gr := schema.ParseGroupResource(name)
	for fresh := false; ; fresh = true {
		if c.mapper == nil || fresh {
			groups, err := restmapper.GetAPIGroupResources(c.discovery)
			if err != nil {
				return nil, err
			}
			c.mapper = restmapper.NewDiscoveryRESTMapper(groups)
		}
		gvk, err := c.mapper.KindFor(gr.WithVersion(""))
		if err == nil {
			return c.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
		}
		if !meta.IsNoMatchError(err) || fresh {
			return nil, err
		}
	}
}

// resource is a kind, in one namespace if it has namespaces.
func (c *cluster) resource(kind, namespace string) (dynamic.ResourceInterface, error) {
	m, err := c.kind(kind)
	if err != nil {
		return nil, err
	}
	switch namespaced := m.Scope.Name() == meta.RESTScopeNameNamespace; {
	case namespaced && namespace == "":
		return nil, fmt.Errorf("%s is namespaced: write NAMESPACE/NAME", kind)
	case !namespaced && namespace != "":
		return nil, fmt.Errorf("%s has no namespaces: write NAME alone", kind)
	case namespaced:
		return c.dynamic.Resource(m.Resource).Namespace(namespace), nil
	default:
		return c.dynamic.Resource(m.Resource), nil
	}
}

// one is a single object's resource and name; at is [NAMESPACE/]NAME.
func (c *cluster) one(kind, at string) (dynamic.ResourceInterface, string, error) {
	namespace, name, ok := strings.Cut(at, "/")
	if !ok {
		namespace, name = "", at
	}
	r, err := c.resource(kind, namespace)
	return r, name, err
}

func requestContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), requestTime)
}

package hostedcluster

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/pkg/kube"
)

// metalLBNamespace is where MetalLB looks for its own objects; hcctl bootstrap and Red Hat's documents install it there.
const metalLBNamespace = "metallb-system"

// documents splits a YAML or JSON stream; empty documents are left out.
func documents(content []byte) ([][]byte, error) {
	r := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	var out [][]byte
	for {
		doc, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("not YAML: %s", plainly(err))
		}
		var object map[string]any
		if err := yaml.UnmarshalStrict(doc, &object); err != nil {
			return nil, fmt.Errorf("document %d: %s", len(out)+1, plainly(err))
		}
		if len(object) > 0 {
			out = append(out, doc)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("there is no object in it")
	}
	return out, nil
}

// clusterScopedKinds are known not to live in a namespace; of others, the API server says so.
func clusterScopedKinds() []string {
	return []string{"Namespace", "Node", "PersistentVolume", "ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "StorageClass",
		"VolumeSnapshotClass", "PriorityClass", "APIService", "ManagedCluster", "MultiClusterEngine", "ClusterImageSet",
		"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"}
}

// parseManifests reads objects for the namespace of the cluster.
func parseManifests(content []byte, namespace string) ([]*unstructured.Unstructured, error) {
	docs, err := documents(content)
	if err != nil {
		return nil, err
	}
	var out []*unstructured.Unstructured
	for i, doc := range docs {
		u := &unstructured.Unstructured{}
		if err := yaml.UnmarshalStrict(doc, &u.Object); err != nil {
			return nil, fmt.Errorf("document %d: %s", i+1, plainly(err))
		}
		where := fmt.Sprintf("document %d, %s %s", i+1, u.GetKind(), u.GetName())
		switch {
		case u.GetAPIVersion() == "" || u.GetKind() == "":
			return nil, fmt.Errorf("document %d has no apiVersion or no kind", i+1)
		case u.IsList():
			return nil, fmt.Errorf("document %d is a %s; write its items as documents of their own", i+1, u.GetKind())
		case len(validation.IsDNS1123Subdomain(u.GetName())) > 0:
			return nil, fmt.Errorf("document %d, %s, has no name that an object can have", i+1, u.GetKind())
		case slices.Contains(clusterScopedKinds(), u.GetKind()):
			return nil, fmt.Errorf("%s: belongs to the whole management cluster; only objects of the cluster's namespace are taken here", where)
		case u.GetNamespace() != "" && u.GetNamespace() != namespace:
			return nil, fmt.Errorf("%s: is for namespace %s, but the cluster's is %s; take the namespace out or use --namespace", where, u.GetNamespace(), namespace)
		}
		u.SetNamespace(namespace)
		out = append(out, u)
	}
	return out, nil
}

// manifestsOf are the objects of --manifests, with the marks by which delete finds what belongs to a cluster.
func manifestsOf(o Options, in Inputs) []client.Object {
	var out []client.Object
	for _, file := range o.Manifests {
		objects, _ := parseManifests(file.Content, o.Namespace)
		for _, u := range objects {
			markWith(o, in).setOn(u)
			out = append(out, u)
		}
	}
	return out
}

// addressesOf are a pool of addresses that only Services in the cluster's control plane namespace get, where its API server, its
// *.apps and the guest's own load balancers live, and the L2 advertisement without which nobody reaches them.
func addressesOf(o Options, in Inputs) []client.Object {
	if len(o.MetalLBAddresses) == 0 {
		return nil
	}
	pool, advertisement := kube.IPAddressPool.New(), kube.L2Advertisement.New()
	for _, u := range []*unstructured.Unstructured{pool, advertisement} {
		u.SetNamespace(metalLBNamespace)
		u.SetName(ControlPlaneNamespace(o.Namespace, o.Name))
		markWith(o, in).setOn(u)
	}
	pool.Object["spec"] = map[string]any{
		"addresses":         words(o.MetalLBAddresses),
		"autoAssign":        true,
		"serviceAllocation": map[string]any{"priority": int64(1), "namespaces": []any{ControlPlaneNamespace(o.Namespace, o.Name)}},
	}
	advertisement.Object["spec"] = map[string]any{"ipAddressPools": []any{pool.GetName()}}
	return []client.Object{pool, advertisement}
}

func words(list []string) []any {
	out := make([]any, 0, len(list))
	for _, s := range list {
		out = append(out, s)
	}
	return out
}

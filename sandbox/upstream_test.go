package main_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const upstream = `
{apiVersion: v1, kind: Namespace, metadata: {name: kubevirt-hyperconverged}}
---
apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata: {name: all, namespace: kubevirt-hyperconverged}
spec: {}
---
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: hco, namespace: kubevirt-hyperconverged}
spec:
  name: community-kubevirt-hyperconverged
  channel: candidate-v1.18
  source: community-operators
  sourceNamespace: openshift-marketplace
---
apiVersion: hco.kubevirt.io/v1
kind: HyperConverged
metadata: {name: kubevirt-hyperconverged, namespace: kubevirt-hyperconverged}
spec: {}
`

// The upstream candidate serves HyperConverged v1 and v1beta1, and runs from a namespace of its own.
func TestUpstreamVirtualizationServesBothVersions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	launch(t, dir, "--profile", "ocp-4.20", "--speed", "20")
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(dir, "kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	decoder := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(upstream), 4096)
	for range 4 {
		o := &unstructured.Unstructured{}
		if err := decoder.Decode(&o.Object); err != nil {
			t.Fatal(err)
		}
		var last error
		err := wait.PollUntilContextCancel(ctx, 250*time.Millisecond, true, func(ctx context.Context) (bool, error) {
			last = client.IgnoreAlreadyExists(c.Create(ctx, o.DeepCopy()))
			return last == nil, nil
		})
		if err != nil {
			t.Fatalf("%s: %v", o.GetKind(), last)
		}
	}
	for _, version := range []string{"v1", "v1beta1"} {
		hco := &unstructured.Unstructured{}
		hco.SetAPIVersion("hco.kubevirt.io/" + version)
		hco.SetKind("HyperConverged")
		err := wait.PollUntilContextCancel(ctx, 250*time.Millisecond, true, func(ctx context.Context) (bool, error) {
			if err := c.Get(ctx, client.ObjectKey{Namespace: "kubevirt-hyperconverged", Name: "kubevirt-hyperconverged"},
				hco); err != nil {
				return false, client.IgnoreNotFound(err)
			}
			versions, _, _ := unstructured.NestedSlice(hco.Object, "status", "versions")
			return len(versions) == 1 && versions[0].(map[string]any)["version"] == "1.18.0", nil
		})
		if err != nil {
			t.Errorf("%s: %v: %v", version, err, hco.Object["status"])
		}
	}
}

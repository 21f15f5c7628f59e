package objectstest

import (
	"cmp"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// Inputs returns the inputs of a cluster whose release and pull secret are known.
func Inputs() objects.Inputs {
	return objects.Inputs{
		InfraID:      "kv-00-sffhb",
		ReleaseImage: "registry.example/ocp-release:4.20.3-x86_64", ReleaseVersion: "4.20.3",
		PullSecret:    []byte(optionstest.GoodPullSecret),
		EncryptionKey: []byte("0123456789abcdef0123456789abcdef"),
	}
}

// ObjectsOf returns the objects as sent to an API server, by kind and name. Values that only a server knows are made
// up.
func ObjectsOf(t *testing.T, o options.Validated) map[string]map[string]any {
	t.Helper()
	out := map[string]map[string]any{}
	for _, obj := range ObjectsToWrite(o) {
		m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
		if err != nil {
			t.Fatal(err)
		}
		delete(m, "status")
		unstructured.RemoveNestedField(m, "metadata", "creationTimestamp")
		out[obj.GetObjectKind().GroupVersionKind().Kind+" "+obj.GetName()] = m
	}
	return out
}

// ObjectsToWrite returns the objects of a cluster with Inputs and a made-up SSH key.
func ObjectsToWrite(o options.Validated) []client.Object {
	in := Inputs()
	in.InfraID = cmp.Or(o.InfraID, in.InfraID)
	in.ReleaseImage = cmp.Or(o.ReleaseImage, in.ReleaseImage)
	if len(o.PullSecret.Content) > 0 {
		in.PullSecret = o.PullSecret.Content
	}
	in.SSHKey = objects.SSHKeyPair{Private: []byte("private"), Public: []byte("public")}
	return objects.All(o, in)
}

// EncryptionKey returns the Secret with the encryption key of etcd's Secrets, as create writes it.
func EncryptionKey(o options.Validated, in objects.Inputs) *corev1.Secret {
	for _, obj := range objects.Companions(o, in) {
		if s, ok := obj.(*corev1.Secret); ok && s.Name == hostedcluster.EncryptionKeyName(o.Name) {
			return s
		}
	}
	return nil
}

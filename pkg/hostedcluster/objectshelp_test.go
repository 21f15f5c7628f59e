package hostedcluster

import (
	"cmp"
	"flag"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func inputs() Inputs {
	return Inputs{
		InfraID:      "kv-00-sffhb",
		ReleaseImage: "registry.example/ocp-release:4.20.3-x86_64", ReleaseVersion: "4.20.3",
		PullSecret:    []byte(goodPullSecret),
		EncryptionKey: []byte("0123456789abcdef0123456789abcdef"),
	}
}

// objectsOf are the objects as an API server gets them, by kind and name. What a server alone knows is made up.
func objectsOf(t *testing.T, o Options) map[string]map[string]any {
	t.Helper()
	out := map[string]map[string]any{}
	for _, obj := range objectsToWrite(o) {
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

func objectsToWrite(o Options) []client.Object {
	in := inputs()
	in.InfraID = cmp.Or(o.InfraID, in.InfraID)
	in.ReleaseImage = cmp.Or(o.ReleaseImage, in.ReleaseImage)
	if len(o.PullSecret.Content) > 0 {
		in.PullSecret = o.PullSecret.Content
	}
	in.SSHKey = SSHKeyPair{Private: []byte("private"), Public: []byte("public")}
	return Objects(o, in)
}

var update = flag.Bool("update", false, "write the golden files anew")

// encryptionKey is the Secret with the key that etcd's Secrets are encrypted with, as a create writes it.
func encryptionKey(o Options, in Inputs) *corev1.Secret {
	for _, obj := range companionsOf(o, in) {
		if s, ok := obj.(*corev1.Secret); ok && s.Name == encryptionKeyName(o.Name) {
			return s
		}
	}
	return nil
}

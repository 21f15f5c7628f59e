package object

import (
	"encoding/base64"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// Remember makes redact remove the content of a Secret from all messages, because servers and webhooks may repeat it.
// It ignores other objects.
func Remember(obj client.Object) {
	switch o := obj.(type) {
	case *corev1.Secret:
		redact.Remember(o.Data)
		for key, value := range o.StringData {
			redact.Remember(map[string][]byte{key: []byte(value)})
		}
	case *unstructured.Unstructured:
		if o.GroupVersionKind() == corev1.SchemeGroupVersion.WithKind("Secret") {
			rememberContent(o)
		}
	}
}

func rememberContent(u *unstructured.Unstructured) {
	for _, field := range []string{"data", "stringData"} {
		content, _, _ := unstructured.NestedStringMap(u.Object, field)
		for key, value := range content {
			plain := []byte(value)
			if decoded, err := base64.StdEncoding.DecodeString(value); err == nil && field == "data" {
				plain = decoded
			}
			redact.Remember(map[string][]byte{key: plain})
		}
	}
}

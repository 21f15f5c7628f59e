package creation

import (
	"encoding/base64"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// sameContent reports whether a Secret or ConfigMap has the content that this create would write. Randomly generated
// keys and objects of other kinds are not compared.
func (p *Plan) sameContent(want, have client.Object) bool {
	kind := want.GetObjectKind().GroupVersionKind()
	name, o := want.GetName(), p.Options
	random := name == hostedcluster.EncryptionKeyName(o.Name) || o.GenerateSSH && name == hostedcluster.SSHKeyName(o.Name)
	if kind.Group != "" || kind.Kind != "ConfigMap" && (kind.Kind != "Secret" || random) {
		return true
	}
	return reflect.DeepEqual(contentOf(want), contentOf(have))
}

// contentOf returns the content of a Secret or ConfigMap by key. Values of a Secret are in base64.
func contentOf(o client.Object) map[string]string {
	content := map[string]string{}
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return content
	}
	for _, field := range []string{"data", "binaryData", "stringData"} {
		values, _, _ := unstructured.NestedStringMap(m, field)
		for key, value := range values {
			if field == "stringData" {
				value = base64.StdEncoding.EncodeToString([]byte(value))
			}
			content[key] = value
		}
	}
	return content
}

package convert

import (
	"encoding/base64"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// convertCompanions converts the Secrets and ConfigMaps to files: the content of those that options write, and one file
// of manifests with the others.
func (r *reader) convertCompanions() {
	o := &r.out.Options
	known := []struct {
		name, key, file string
		at              *options.File
	}{
		{hostedcluster.PullSecretName(o.Name), corev1.DockerConfigJsonKey, "pull-secret.json", &o.PullSecret},
		{hostedcluster.SSHKeyName(o.Name), "id_rsa.pub", "ssh-key.pub", &o.SSHKey},
		{hostedcluster.TrustBundleName(o.Name), "ca-bundle.crt", "ca-bundle.crt", &o.AdditionalTrustBundle},
		{hostedcluster.AuditWebhookName(o.Name), hyperv1.AuditWebhookKubeconfigKey, "audit-webhook", &o.AuditWebhook},
		{textAt(r.hc.Fields, "spec", "platform", "kubevirt", "credentials", "infraKubeConfigSecret", "name"), "kubeconfig",
			"infra-kubeconfig", &o.InfraKubeconfigFile},
	}
	var more []Object
	for _, c := range r.companions {
		u, taken := c.unstructured(), false
		for _, k := range known {
			data, only := dataOf(u, k.key)
			if taken = u.GetName() == k.name && only; taken {
				file := File{o.Name + "-" + k.file, data}
				*k.at = options.File{Path: file.Name, Content: data, Directory: "."}
				r.out.Files = append(r.out.Files, file)
				break
			}
		}
		if !taken {
			more = append(more, c)
		}
	}
	if len(more) == 0 {
		return
	}
	name := o.Name + "-objects.yaml"
	data, err := objects.YAML(ClientObjects(more)...)
	if err != nil {
		r.out.Findings = append(r.out.Findings, more[0].finding("", "cannot be written: %v", err))
		return
	}
	r.out.Files = append(r.out.Files, File{name, data})
	o.Manifests = options.Files{{Path: name, Content: data, Directory: "."}}
	if slices.ContainsFunc(more, func(c Object) bool {
		return c.unstructured().GetName() == hostedcluster.EncryptionKeyName(o.Name)
	}) {
		o.AdoptExisting = true
	}
}

// dataOf returns the value of a key, and whether the object has only that key.
func dataOf(u *unstructured.Unstructured, key string) (data []byte, only bool) {
	n := 0
	for _, field := range []string{"data", "stringData"} {
		values, _, _ := unstructured.NestedStringMap(u.Object, field)
		n += len(values)
		value, has := values[key]
		if data = append(data, value...); has && field == "data" && u.GetKind() == "Secret" {
			plain, err := base64.StdEncoding.DecodeString(value)
			if err != nil {
				return nil, false
			}
			data = plain
		}
	}
	return data, n == 1 && len(data) > 0
}

// refersTo reports whether the HostedCluster or a pool refers to an object, or the object's name begins with the
// cluster's.
func (r *reader) refersTo(u *unstructured.Unstructured) bool {
	if strings.HasPrefix(u.GetName(), r.hc.unstructured().GetName()+"-") {
		return true
	}
	for _, o := range append([]Object{r.hc}, r.pools...) {
		if mentions(o.Fields["spec"], u.GetName()) {
			return true
		}
	}
	return false
}

// mentions reports whether a field "name" has that value.
func mentions(v any, name string) bool {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if key == "name" && value == name || mentions(value, name) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return mentions(item, name) })
	}
	return false
}

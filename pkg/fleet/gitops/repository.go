package gitops

import (
	"embed"
	"errors"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/fleet/gitops/overlays"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
)

//go:embed template
var templates embed.FS

// File is one file; its path is relative to the directory, with slashes.
type File = overlays.File

// document is a file with several objects.
type document []any

// Repository returns the files of the repository, sorted by path. The error lists all invalid options, or names
// objects with the same kind and name.
func Repository(o Options) ([]File, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	clusters, err := overlays.Files(o.overlays())
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"README.md": []byte(o.fill("template/readme.md", ""))}
	for _, f := range clusters {
		files["clusters/"+f.Path] = f.Data
	}
	documents, err := o.argocd()
	if err != nil {
		return nil, err
	}
	for _, e := range o.Environments {
		maps.Copy(documents, o.hooks(e))
		documents["environments/"+e.Name+"/kustomization.yaml"] = document{kustomization("../../clusters/overlays/"+e.Name,
			"../../hooks/"+e.Name)}
		for name, text := range o.overlay(e.Name) {
			files[name] = []byte(text)
		}
		if len(e.Secrets) > 0 {
			documents["secrets/external-secrets/"+e.Name+".yaml"] = externalSecrets(e)
		}
	}
	files["secrets/README.md"] = []byte(secretsReadme(o.Environments))
	for _, name := range bases() {
		files[name] = []byte(o.fill("template/"+name, ""))
	}
	for name, content := range documents {
		if files[name], err = content.bytes(); err != nil {
			return nil, err
		}
	}
	all := make([]File, 0, len(files))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		all = append(all, File{Path: name, Data: files[name]})
	}
	return all, nil
}

// bases returns the files that are equal for all environments.
func bases() []string {
	return []string{
		"virtualization/base/kustomization.yaml", "virtualization/base/namespace.yaml",
		"virtualization/base/operatorgroup.yaml", "virtualization/base/subscription.yaml",
		"virtualization/base/approval.yaml", "virtualization/base/hyperconverged.yaml",
		"demo-vm/base/kustomization.yaml", "demo-vm/base/namespace.yaml", "demo-vm/base/virtualmachine.yaml",
	}
}

// overlay returns the files of an environment for the content of its hosted clusters.
func (o Options) overlay(env string) map[string]string {
	files := map[string]string{}
	for directory, names := range map[string][]string{
		"virtualization": {"kustomization.yaml", "version.yaml"}, "demo-vm": {"kustomization.yaml", "virtualmachine.yaml"},
	} {
		for _, name := range names {
			files[directory+"/overlays/"+env+"/"+name] = o.fill("template/"+directory+"/overlay/"+name, env)
		}
	}
	return files
}

// fill returns a template with the options filled in. All of them were validated, so that none can end a line or
// a string.
func (o Options) fill(template, env string) string {
	return strings.NewReplacer("${IMAGE}", o.Image, "${CSV}", o.VirtualizationCSV, "${CHANNEL}", o.VirtualizationChannel,
		"${ARGONAMESPACE}", o.ArgoNamespace, "${ENV}", env).Replace(embedded(templates, template))
}

// overlays converts the environments to those of package overlays.
func (o Options) overlays() []overlays.Environment {
	all := make([]overlays.Environment, len(o.Environments))
	for i, e := range o.Environments {
		all[i] = overlays.Environment{Name: e.Name}
		for _, u := range e.Objects {
			all[i].Objects = append(all[i].Objects, withoutEmpty(objects.WithoutDefaults(u)))
		}
	}
	return all
}

// withoutEmpty returns an object without the empty fields of its spec. Operators fill these, and Argo CD would
// always call the object OutOfSync.
func withoutEmpty(u *unstructured.Unstructured) *unstructured.Unstructured {
	u = u.DeepCopy()
	spec, _, _ := unstructured.NestedMap(u.Object, "spec")
	for field, value := range spec {
		if content, isMap := value.(map[string]any); isMap && len(content) == 0 {
			unstructured.RemoveNestedField(u.Object, "spec", field)
		}
	}
	return u
}

// namespaces returns the namespaces of the environment's hosted clusters, sorted.
func (e Environment) namespaces() []string {
	found := map[string]bool{}
	for _, u := range e.Objects {
		if u.GetKind() == "HostedCluster" {
			found[u.GetNamespace()] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// SameNames returns the hosted clusters with the same name in several environments, as "dev/front and
// prod/front", sorted. Argo CD applies them to one management cluster, where only one can work: the
// ManagedCluster's name and, with baseDomainPassthrough, the domain of the applications depend only on the
// HostedCluster's name.
func SameNames(environments []Environment) []string {
	by := map[string][]string{}
	for _, e := range environments {
		for _, u := range e.Objects {
			if u.GetKind() == "HostedCluster" {
				by[u.GetName()] = append(by[u.GetName()], u.GetNamespace()+"/"+u.GetName())
			}
		}
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(by)) {
		if len(by[name]) > 1 {
			all = append(all, strings.Join(by[name], " and "))
		}
	}
	return all
}

func kustomization(resources ...string) map[string]any {
	return map[string]any{"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": resources}
}

func (d document) bytes() ([]byte, error) {
	var out []byte
	var errs []error
	for i, object := range d {
		data, err := sanitize.YAML(object)
		errs = append(errs, err)
		if i > 0 {
			out = append(out, "---\n"...)
		}
		out = append(out, strings.TrimPrefix(string(data), "---\n")...)
	}
	return out, errors.Join(errs...)
}

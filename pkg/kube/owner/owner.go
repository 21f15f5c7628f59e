package owner

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/internal/sanitize"
)

// Hcctl is the field manager of hcctl's writes, and the value of the managed-by label.
const Hcctl = "hcctl"

// Settings is the field manager of the fields of an operator's object that hcctl.yaml sets beyond hcctl's own options.
const Settings = "hcctl-settings"

// IsHcctl reports whether bootstrap writes as this field manager.
func IsHcctl(manager string) bool { return manager == Hcctl || manager == Settings }

// Owner is a tool that manages an object.
type Owner struct {
	// Tool is the product name, such as "Argo CD".
	Tool string
	// What is the parent of the object in that tool, such as "application ingress". It is sanitized.
	What string
	// Where is the place for a permanent change of the object, as text for the user.
	Where string
	// managers are the field managers of the tool. whole is set if the tool keeps the whole object.
	managers []string
	whole    bool
}

// String returns text such as "Argo CD (application ingress)".
func (o *Owner) String() string {
	if o.What == "" {
		return o.Tool
	}
	return fmt.Sprintf("%s (%s)", o.Tool, o.What)
}

// The marks of the tools. Sources: contracts/owners.yaml.
const (
	argoTracking     = "argocd.argoproj.io/tracking-id"
	instanceLabel    = "app.kubernetes.io/instance"
	managedByLabel   = "app.kubernetes.io/managed-by"
	fluxKustomize    = "kustomize.toolkit.fluxcd.io/"
	fluxHelm         = "helm.toolkit.fluxcd.io/"
	helmRelease      = "meta.helm.sh/release-name"
	helmNamespace    = "meta.helm.sh/release-namespace"
	hubManaged       = "multiclusterhubs.operator.open-cluster-management.io/managed-by"
	hubName          = "installer.name"
	hubNamespace     = "installer.namespace"
	hostingAppLabel  = "apps.open-cluster-management.io/hosting-subscription"
	appliedWorkKind  = "AppliedManifestWork"
	appliedWorkGroup = "work.open-cluster-management.io/"
	olmOwner         = "olm.owner"
)

// argoManagers returns Argo CD's field managers: for server-side apply, for its own client, and for kubectl apply,
// which it uses.
func argoManagers() []string {
	return []string{"argocd-controller", "argocd-application-controller", "kubectl-client-side-apply"}
}

// policyManager is the field manager of the controller for ConfigurationPolicies. It leaves no other mark.
const policyManager = "config-policy-controller"

// Of returns the tool that manages the object; nil if it has no known mark. hcctl does not count.
func Of(o metav1.Object) *Owner {
	for _, judge := range []func(metav1.Object) *Owner{argo, flux, helm, clusterManagement, policy, lifecycleManager,
		labelled} {
		if found := judge(o); found != nil {
			return found
		}
	}
	return nil
}

// argo reads the tracking annotation, or the instance label if Argo CD wrote it. Other tools use the label, too.
func argo(o metav1.Object) *Owner {
	var app string
	if id, tracked := o.GetAnnotations()[argoTracking]; tracked {
		// Operators copy annotations to the objects that they create. Argo CD manages only objects that the annotation names.
		first, rest, _ := strings.Cut(id, ":")
		if rest != "" && !strings.HasSuffix(rest, "/"+o.GetName()) {
			return nil
		}
		app = first
	} else {
		name, labelled := o.GetLabels()[instanceLabel]
		if !labelled || !slices.ContainsFunc(setters(o, "metadata", "labels", instanceLabel), func(s Setter) bool {
			return slices.Contains(argoManagers()[:2], s.Manager)
		}) {
			return nil
		}
		app = name
	}
	// The tracking ID of an application outside of Argo CD's own namespace begins with NAMESPACE_NAME.
	app = strings.Replace(app, "_", "/", 1)
	return &Owner{Tool: "Argo CD", What: "application " + displayName(app), managers: argoManagers(),
		Where: "in the source of Argo CD's application " + displayName(app)}
}

func flux(o metav1.Object) *Owner {
	for _, kind := range []struct{ prefix, name, manager string }{
		{fluxKustomize, "Kustomization", "kustomize-controller"}, {fluxHelm, "HelmRelease", "helm-controller"},
	} {
		if name, marked := o.GetLabels()[kind.prefix+"name"]; marked {
			what := kind.name + " " + displayName(joined(o.GetLabels()[kind.prefix+"namespace"], name))
			return &Owner{Tool: "Flux", What: what, managers: []string{kind.manager}, Where: "in the source of Flux's " + what}
		}
	}
	return nil
}

func helm(o metav1.Object) *Owner {
	name, marked := o.GetAnnotations()[helmRelease]
	if !marked {
		return nil
	}
	what := "release " + displayName(joined(o.GetAnnotations()[helmNamespace], name))
	return &Owner{Tool: "Helm", What: what, managers: []string{"helm", "Helm", "kubectl-client-side-apply"},
		Where: "in the values of Helm's " + what}
}

// clusterManagement reads the marks of Advanced Cluster Management: of its hub, its applications and its ManifestWorks.
func clusterManagement(o metav1.Object) *Owner {
	const tool = "Advanced Cluster Management"
	if o.GetLabels()[hubManaged] == "true" {
		what := "MultiClusterHub " + displayName(joined(o.GetLabels()[hubNamespace], o.GetLabels()[hubName]))
		return &Owner{Tool: tool, What: what, Where: "in " + what, whole: true}
	}
	if app, marked := o.GetAnnotations()[hostingAppLabel]; marked {
		what := "subscription " + displayName(app)
		return &Owner{Tool: tool, What: what, Where: "in the channel of its " + what, whole: true}
	}
	for _, ref := range o.GetOwnerReferences() {
		if ref.Kind == appliedWorkKind && strings.HasPrefix(ref.APIVersion, appliedWorkGroup) {
			what := "ManifestWork of " + appliedWorkKind + " " + displayName(ref.Name)
			return &Owner{Tool: tool, What: what, Where: "in the " + what, whole: true}
		}
	}
	return nil
}

func policy(o metav1.Object) *Owner {
	if !slices.ContainsFunc(o.GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool {
		return e.Manager == policyManager
	}) {
		return nil
	}
	return &Owner{Tool: "Advanced Cluster Management", What: "a ConfigurationPolicy", managers: []string{policyManager},
		Where: "in the ConfigurationPolicy that has it"}
}

func lifecycleManager(o metav1.Object) *Owner {
	csv, marked := o.GetLabels()[olmOwner]
	if !marked {
		return nil
	}
	what := "ClusterServiceVersion " + displayName(csv)
	return &Owner{Tool: lifecycleManagerTool, What: what, Where: "in the Subscription of " + what, whole: true}
}

// labelled reads the managed-by label that Kubernetes recommends. It is unknown whether such a tool reverts changes.
func labelled(o metav1.Object) *Owner {
	name := o.GetLabels()[managedByLabel]
	if name == "" || name == Hcctl {
		return nil
	}
	return &Owner{Tool: displayName(name), Where: "with " + displayName(name), managers: []string{name}}
}

// Keeps reports whether the tool reverts a change of the field: it owns the field, or the field has no manager.
func (o *Owner) Keeps(obj metav1.Object, path ...string) bool {
	if o.whole {
		return true
	}
	by := setters(obj, path...)
	return len(by) == 0 || slices.ContainsFunc(by, func(s Setter) bool { return slices.Contains(o.managers, s.Manager) })
}

// lifecycleManagerTool is the Tool of objects that OLM creates for a Subscription.
const lifecycleManagerTool = "Operator Lifecycle Manager"

// Deploys reports whether the tool would create the object again after a deletion. The Operator Lifecycle Manager does
// not count, because it only acts for the creator of the Subscription.
func (o *Owner) Deploys() bool { return o.Tool != lifecycleManagerTool }

// KeepsWhole reports whether the tool keeps the whole object, including fields without a value.
func (o *Owner) KeepsWhole() bool { return o.whole }

// objectName matches object names, with or without a namespace.
var objectName = lazyregexp.New(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?` +
	`(/[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?)?$`)

// maxInvalidName is the length to which an invalid name is cut, in characters.
const maxInvalidName = 60

// displayName returns a name that is safe to show.
func displayName(name string) string {
	if objectName.MatchString(name) {
		return name
	}
	text := []rune(sanitize.Value(name))
	if len(text) > maxInvalidName {
		text = append(text[:maxInvalidName], '…')
	}
	return fmt.Sprintf("%q (no valid name)", string(text))
}

func joined(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

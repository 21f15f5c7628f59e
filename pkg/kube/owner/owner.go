package owner

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/internal/sanitize"
)

// Hcctl is the field manager of hcctl's own writes, and the value of the label of what it created.
const Hcctl = "hcctl"

// Settings is the field manager of what hcctl.yaml says of an operator's object beyond hcctl's own options.
const Settings = "hcctl-settings"

// IsHcctl reports whether a field manager is one by which bootstrap writes.
func IsHcctl(manager string) bool { return manager == Hcctl || manager == Settings }

// Owner is a tool that looks after an object.
type Owner struct {
	// Tool is its product name, such as "Argo CD".
	Tool string
	// What names what the object belongs to in that tool, such as "application ingress". It is safe to show.
	What string
	// Where says where a user changes the object so that the change stays.
	Where string
	// managers are the field managers of the tool. whole means that the tool keeps all of the object.
	managers []string
	whole    bool
}

// String is such as "Argo CD (application ingress)".
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

// argoManagers are Argo CD's field managers: by server-side apply, by its own client, and by kubectl's apply, which it
// uses.
func argoManagers() []string {
	return []string{"argocd-controller", "argocd-application-controller", "kubectl-client-side-apply"}
}

// policyManager is the field manager of the controller that enforces ConfigurationPolicies. It leaves no other mark.
const policyManager = "config-policy-controller"

// Of is the tool that looks after the object; nil where no mark of one is known. hcctl itself is none.
func Of(o metav1.Object) *Owner {
	for _, judge := range []func(metav1.Object) *Owner{argo, flux, helm, management, policy, lifecycleManager, another} {
		if found := judge(o); found != nil {
			return found
		}
	}
	return nil
}

// argo reads the tracking annotation, or the label where Argo CD is the one who wrote it: others use it too.
func argo(o metav1.Object) *Owner {
	var app string
	if id, tracked := o.GetAnnotations()[argoTracking]; tracked {
		// Operators copy annotations to objects that they make. Argo CD takes only what is named by its own mark.
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
	// An application outside of Argo CD's own namespace is tracked as NAMESPACE_NAME.
	app = strings.Replace(app, "_", "/", 1)
	return &Owner{Tool: "Argo CD", What: "application " + shown(app), managers: argoManagers(),
		Where: "in the source of Argo CD's application " + shown(app)}
}

func flux(o metav1.Object) *Owner {
	for _, kind := range []struct{ prefix, name, manager string }{
		{fluxKustomize, "Kustomization", "kustomize-controller"}, {fluxHelm, "HelmRelease", "helm-controller"},
	} {
		if name, marked := o.GetLabels()[kind.prefix+"name"]; marked {
			what := kind.name + " " + shown(joined(o.GetLabels()[kind.prefix+"namespace"], name))
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
	what := "release " + shown(joined(o.GetAnnotations()[helmNamespace], name))
	return &Owner{Tool: "Helm", What: what, managers: []string{"helm", "Helm", "kubectl-client-side-apply"},
		Where: "in the values of Helm's " + what}
}

// management are the marks of Advanced Cluster Management: of its hub, its applications and its works.
func management(o metav1.Object) *Owner {
	const tool = "Advanced Cluster Management"
	if o.GetLabels()[hubManaged] == "true" {
		what := "MultiClusterHub " + shown(joined(o.GetLabels()[hubNamespace], o.GetLabels()[hubName]))
		return &Owner{Tool: tool, What: what, Where: "in " + what, whole: true}
	}
	if app, marked := o.GetAnnotations()[hostingAppLabel]; marked {
		what := "subscription " + shown(app)
		return &Owner{Tool: tool, What: what, Where: "in the channel of its " + what, whole: true}
	}
	for _, ref := range o.GetOwnerReferences() {
		if ref.Kind == appliedWorkKind && strings.HasPrefix(ref.APIVersion, appliedWorkGroup) {
			what := "ManifestWork of " + appliedWorkKind + " " + shown(ref.Name)
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
	what := "ClusterServiceVersion " + shown(csv)
	return &Owner{Tool: lifecycleManagerTool, What: what, Where: "in the Subscription of " + what, whole: true}
}

// another is a tool that names itself in the label that Kubernetes recommends. Whether it puts anything back is not
// known.
func another(o metav1.Object) *Owner {
	name := o.GetLabels()[managedByLabel]
	if name == "" || name == Hcctl {
		return nil
	}
	return &Owner{Tool: shown(name), Where: "with " + shown(name), managers: []string{name}}
}

// Keeps reports whether the tool puts the field back: it is the one who wrote it, or nobody can know who did.
func (o *Owner) Keeps(obj metav1.Object, path ...string) bool {
	if o.whole {
		return true
	}
	by := setters(obj, path...)
	return len(by) == 0 || slices.ContainsFunc(by, func(s Setter) bool { return slices.Contains(o.managers, s.Manager) })
}

// lifecycleManagerTool is the tool that works for whoever made a Subscription.
const lifecycleManagerTool = "Operator Lifecycle Manager"

// Deploys reports whether the tool brings the object by itself, so that it would come back if it were deleted. The
// Operator Lifecycle Manager only works for whoever made the Subscription.
func (o *Owner) Deploys() bool { return o.Tool != lifecycleManagerTool }

// KeepsWhole reports whether the tool keeps all of the object, fields included that have no value yet.
func (o *Owner) KeepsWhole() bool { return o.whole }

// nameForm is what names of objects look like, with a namespace or without.
var nameForm = lazyregexp.New(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?` +
	`(/[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?)?$`)

// shortest bounds a name that is none.
const shortest = 60

// shown is a name as it may be shown.
func shown(name string) string {
	if nameForm.MatchString(name) {
		return name
	}
	text := []rune(sanitize.Value(name))
	if len(text) > shortest {
		text = append(text[:shortest], '…')
	}
	return fmt.Sprintf("%q (no valid name)", string(text))
}

func joined(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

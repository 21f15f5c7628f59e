package gitops

import (
	"fmt"
	"maps"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/prereqs/gitops/names"
	"github.com/hcctl/hcctl/pkg/rbac"
)

type object = map[string]any

// Names of the objects for Argo CD.
const (
	projectClusters = "hosted-clusters"
	projectContent  = "hosted-cluster-content"
	// manager is Argo CD's address of the management cluster that it runs on.
	manager = "https://kubernetes.default.svc"
	// hookAccount is the ServiceAccount of the hooks.
	hookAccount = "hcctl-gitops"
)

func named(apiVersion, kind, namespace, name string, rest object) object {
	metadata := object{"name": name}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	out := object{"apiVersion": apiVersion, "kind": kind, "metadata": metadata}
	maps.Copy(out, rest)
	return out
}

// argocd returns the files of the directory that an administrator applies once.
func (o Options) argocd() (map[string]document, error) {
	files := map[string]document{
		"argocd/argocd.yaml":          {o.instance()},
		"argocd/projects.yaml":        o.projects(),
		"argocd/controller-role.yaml": o.controllerRole(),
		"argocd/hosted-clusters.yaml": {o.clustersSet()},
		"argocd/virtualization.yaml":  {o.contentSet("virtualization")},
		"argocd/demo-vm.yaml":         {o.contentSet("demo-vm")},
	}
	resources := []string{"hook-accounts.yaml", "argocd.yaml", "projects.yaml", "controller-role.yaml",
		"hosted-clusters.yaml", "virtualization.yaml", "demo-vm.yaml"}
	if o.ClustersFrom == Placement {
		files["argocd/placements.yaml"] = o.placements()
		resources = append(resources, "placements.yaml")
	}
	files["argocd/kustomization.yaml"] = document{kustomization(resources...)}
	var accounts document
	for _, e := range o.Environments {
		own, err := hookAccounts(e)
		if err != nil {
			return nil, err
		}
		accounts = append(accounts, own...)
	}
	files["argocd/hook-accounts.yaml"] = accounts
	return files, nil
}

// instance returns the health checks for the ArgoCD of OpenShift GitOps. All other fields stay those of its
// owner.
func (o Options) instance() object {
	var checks []object
	for _, c := range HealthChecks() {
		checks = append(checks, object{"group": c.Group, "kind": c.Kind, "check": c.Lua})
	}
	return named("argoproj.io/v1beta1", "ArgoCD", o.ArgoNamespace, names.Instance,
		object{"spec": object{"resourceHealthChecks": checks}})
}

// projects separates the two kinds of Applications: content of hosted clusters can never reach the management
// cluster.
func (o Options) projects() document {
	sources := []string{o.RepoURL}
	return document{
		named("argoproj.io/v1alpha1", "AppProject", o.ArgoNamespace, projectClusters, object{"spec": object{
			"description": "Hosted clusters, on the management cluster", "sourceRepos": sources,
			"destinations":             o.clusterDestinations(),
			"clusterResourceWhitelist": []object{{"group": "", "kind": "Namespace"}},
		}}),
		named("argoproj.io/v1alpha1", "AppProject", o.ArgoNamespace, projectContent, object{"spec": object{
			"description": "What is in hosted clusters", "sourceRepos": sources,
			"destinations": []object{{"server": "*", "namespace": "*"}, {"server": "!" + manager, "namespace": "*"},
				{"name": "!in-cluster", "namespace": "*"}},
			"clusterResourceWhitelist": []object{{"group": "", "kind": "Namespace"}},
		}}),
	}
}

// clusterDestinations returns the namespaces of the environments on the management cluster.
func (o Options) clusterDestinations() []object {
	var all []object
	for _, e := range o.Environments {
		for _, namespace := range e.namespaces() {
			all = append(all, object{"server": manager, "namespace": namespace})
		}
	}
	return all
}

// controllerRole returns the rights of Argo CD on the management cluster: it writes hosted clusters, not
// Secrets.
func (o Options) controllerRole() document {
	const name = "hcctl-gitops-controller"
	const rbacVersion = "rbac.authorization.k8s.io/v1"
	write := []string{"get", "list", "watch", "create", "update", "patch", "delete"}
	return document{
		named(rbacVersion, "ClusterRole", "", name, object{"rules": []object{
			{"apiGroups": []string{"hypershift.openshift.io"}, "resources": []string{"hostedclusters", "nodepools"},
				"verbs": write},
			{"apiGroups": []string{""}, "resources": []string{"namespaces", "configmaps"}, "verbs": write},
			{"apiGroups": []string{"batch"}, "resources": []string{"jobs"}, "verbs": write},
		}}),
		named(rbacVersion, "ClusterRoleBinding", "", name, object{
			"roleRef": object{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
			"subjects": []object{{"kind": "ServiceAccount", "name": names.ControllerAccount,
				"namespace": o.ArgoNamespace}},
		}),
	}
}

// placements returns a Placement for each environment. It selects all clusters with the label env in the cluster
// sets of the namespace.
func (o Options) placements() document {
	var all document
	for _, e := range o.Environments {
		all = append(all, named("cluster.open-cluster-management.io/v1beta1", "Placement", o.ArgoNamespace,
			names.PlacementOf(e.Name), object{"spec": object{
				"predicates": []object{{"requiredClusterSelector": object{"labelSelector": object{
					"matchLabels": object{hostedcluster.EnvironmentLabel: e.Name}}}}},
				"tolerations": names.Tolerations(),
			}}))
	}
	return all
}

// hookAccounts returns the ServiceAccount of an environment's hooks, with only the roles that they need.
func hookAccounts(e Environment) (document, error) {
	var all document
	for _, namespace := range e.namespaces() {
		all = append(all, named("v1", "Namespace", "", namespace, nil),
			named("v1", "ServiceAccount", namespace, hookAccount, nil))
		roles := rbac.Roles{
			Name:     hookAccount + "-" + namespace,
			Options:  rbac.Options{Purposes: []rbac.Purpose{rbac.Check, rbac.Viewer}, Namespace: namespace},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: hookAccount}},
		}
		for _, role := range roles.Objects() {
			content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(role)
			if err != nil {
				return nil, fmt.Errorf("roles of the hooks in %s: %w", namespace, err)
			}
			if metadata, ok := content["metadata"].(object); ok {
				delete(metadata, "creationTimestamp")
			}
			all = append(all, content)
		}
	}
	return all, nil
}

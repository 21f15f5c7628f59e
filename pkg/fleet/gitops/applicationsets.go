package gitops

import (
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/prereqs/gitops/names"
)

// EnvironmentLabel is a label of every Application of the repository, with the environment's name.
const EnvironmentLabel = "hcctl.dev/environment"

// clustersSet returns the ApplicationSet that makes an Application for each environment, with its hosted
// clusters.
func (o Options) clustersSet() object {
	var elements []object
	for _, e := range o.Environments {
		// The project refuses an Application without a namespace, even if every object has one.
		elements = append(elements, object{"env": e.Name, "namespace": e.namespaces()[0]})
	}
	spec := o.application(projectClusters, "environments/{{.env}}",
		object{"server": manager, "namespace": "{{.namespace}}"})
	spec["ignoreDifferences"] = ignored()
	// The kinds of these objects exist before Argo CD does: see contentSet.
	spec["syncPolicy"].(object)["syncOptions"] = []string{ //nolint:forcetypeassert // application has made it
		"ServerSideApply=true", "RespectIgnoreDifferences=true",
	}
	return o.applicationSet("hosted-clusters", []object{{"list": object{"elements": elements}}},
		"hosted-clusters-{{.env}}", "{{.env}}", spec)
}

// ignored returns the fields that operators write although Git may have a value for them.
func ignored() []object {
	return []object{
		{"group": "hypershift.openshift.io", "kind": "HostedCluster",
			"jsonPointers": []string{"/spec/infraID", "/spec/clusterID", "/spec/dns/baseDomain",
				"/spec/secretEncryption/aescbc/activeKey/name"}},
		{"group": "hypershift.openshift.io", "kind": "NodePool",
			"jqPathExpressions": []string{".spec | select(.autoScaling != null) | .replicas"}},
	}
}

// contentSet returns the ApplicationSet that makes an Application for each hosted cluster, with the content of
// its environment.
//
// It does not use ServerSideApply. With it, Argo CD compares by the API server's OpenAPI document, which it
// reads only when a CustomResourceDefinition changes; that is before the document has the new kind
// (gitops-engine, pkg/cache/cluster.go and pkg/diff/diff.go). Operators add kinds here, so Argo CD would stop
// comparing ("unable to resolve parseableType"), and no commit would reach the cluster.
func (o Options) contentSet(name string) object {
	var generators []object
	for _, e := range o.Environments {
		values := object{"env": e.Name}
		if o.ClustersFrom == Labels {
			generators = append(generators, object{"clusters": object{"values": values, "selector": object{
				"matchLabels": object{hostedcluster.EnvironmentLabel: e.Name}}}})
			continue
		}
		generators = append(generators, object{"clusterDecisionResource": object{"configMapRef": names.DecisionConfigMap,
			"requeueAfterSeconds": int64(60), "values": values,
			"labelSelector": object{"matchLabels": object{names.PlacementLabel: names.PlacementOf(e.Name)}}}})
	}
	return o.applicationSet(name, generators, name+"-{{.name}}", "{{.values.env}}",
		o.application(projectContent, name+"/overlays/{{.values.env}}",
			object{"server": "{{.server}}", "namespace": "default"}))
}

func (o Options) applicationSet(name string, generators []object, application, env string, spec object) object {
	return named("argoproj.io/v1alpha1", "ApplicationSet", o.ArgoNamespace, name, object{"spec": object{
		"goTemplate": true, "goTemplateOptions": []string{"missingkey=error"},
		"generators": generators,
		// The objects of an Application stay if the Application is deleted, for example after a label was lost.
		"syncPolicy": object{"preserveResourcesOnDeletion": true},
		"template": object{
			"metadata": object{"name": application, "labels": object{EnvironmentLabel: env}},
			"spec":     spec,
		},
	}})
}

func (o Options) application(project, directory string, destination object) object {
	return object{
		"project":     project,
		"source":      object{"repoURL": o.RepoURL, "targetRevision": o.Revision, "path": o.in(directory)},
		"destination": destination,
		"syncPolicy": object{
			// Nothing is pruned: a user deletes a hosted cluster or a VM that is no longer in Git.
			"automated": object{"prune": false, "selfHeal": true},
			// During its retries a sync takes no other commit. With refresh the next retry takes the newest
			// commit, so that a fix arrives (argo-cd 3.2; older versions ignore the field).
			"retry": object{"limit": int64(20), "refresh": true,
				"backoff": object{"duration": "15s", "factor": int64(2), "maxDuration": "5m"}},
		},
	}
}

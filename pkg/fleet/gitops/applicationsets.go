package gitops

import (
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/prereqs/gitops/names"
)

// EnvironmentLabel is on every Application of the repository, with the environment's name.
const EnvironmentLabel = "hcctl.dev/environment"

// clustersSet makes an Application for each environment: its hosted clusters, on the management cluster.
func (o Options) clustersSet() object {
	var elements []object
	for _, e := range o.Environments {
		// The project refuses an Application without a namespace of its own, even where every object has one.
		elements = append(elements, object{"env": e.Name, "namespace": e.namespaces()[0]})
	}
	spec := o.application(projectClusters, "environments/{{.env}}",
		object{"server": manager, "namespace": "{{.namespace}}"})
	spec["ignoreDifferences"] = ignored()
	// Its kinds are there before Argo CD is: see contentSet.
	spec["syncPolicy"].(object)["syncOptions"] = []string{ //nolint:forcetypeassert // application has made it
		"ServerSideApply=true", "RespectIgnoreDifferences=true",
	}
	return o.applicationSet("hosted-clusters", []object{{"list": object{"elements": elements}}},
		"hosted-clusters-{{.env}}", "{{.env}}", spec)
}

// ignored are the fields that operators write, though Git may have a value for them.
func ignored() []object {
	return []object{
		{"group": "hypershift.openshift.io", "kind": "HostedCluster",
			"jsonPointers": []string{"/spec/infraID", "/spec/clusterID", "/spec/dns/baseDomain",
				"/spec/secretEncryption/aescbc/activeKey/name"}},
		{"group": "hypershift.openshift.io", "kind": "NodePool",
			"jqPathExpressions": []string{".spec | select(.autoScaling != null) | .replicas"}},
	}
}

// contentSet makes an Application for each hosted cluster: what is in it, by its environment.
//
// It does without ServerSideApply. With it Argo CD compares by the API server's OpenAPI document, and reads that only
// when a CustomResourceDefinition changes, which is before the document has the new kind (gitops-engine,
// pkg/cache/cluster.go and pkg/diff/diff.go). Operators bring kinds here, and Argo CD would then compare no more
// ("unable to resolve parseableType"): no commit would reach the cluster.
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
		// What an Application brought stays if the Application goes, say because a label was lost.
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
			// Nothing is pruned: a hosted cluster or a VM that is no longer in Git is deleted by a user.
			"automated": object{"prune": false, "selfHeal": true},
			// While it is retried, a sync takes no other commit than its own. With refresh the next retry takes the
			// newest, so a commit that mends what failed arrives (argo-cd 3.2; older ones drop the field).
			"retry": object{"limit": int64(20), "refresh": true,
				"backoff": object{"duration": "15s", "factor": int64(2), "maxDuration": "5m"}},
		},
	}
}

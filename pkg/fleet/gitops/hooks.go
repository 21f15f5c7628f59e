package gitops

import (
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// hooks returns the Jobs that Argo CD runs before and after it syncs an environment, in each namespace of its
// clusters.
func (o Options) hooks(e Environment) map[string]document {
	var jobs document
	for _, namespace := range e.namespaces() {
		jobs = append(jobs,
			// The account may only read, so it lacks the rights that bootstrap needs
			// (docs/checks/cluster-permissions.md).
			o.job(namespace, "hcctl-check", "PreSync",
				[]string{"hcctl", "check", hint.Flag("skip").String(), "cluster/permissions"}),
			// The milestones from api on would need the kubeconfigs of the hosted clusters; a condition does
			// not.
			o.job(namespace, "hcctl-wait", "PostSync",
				[]string{"hcctl", "wait", "cluster", hint.Flag("namespace").String(), namespace,
					hint.Flag("selector").String(), hostedcluster.EnvironmentLabel + "=" + e.Name, hint.Flag("for").String(),
					"condition=" + string(hyperv1.HostedClusterAvailable), hint.Flag("timeout").String(), "60m"}))
	}
	return map[string]document{
		"hooks/" + e.Name + "/jobs.yaml":          jobs,
		"hooks/" + e.Name + "/kustomization.yaml": {kustomization("jobs.yaml")},
	}
}

// job returns a hook whose pod meets the PodSecurity level restricted. A new sync replaces it.
func (o Options) job(namespace, name, phase string, command []string) object {
	job := named("batch/v1", "Job", namespace, name, object{"spec": object{
		"backoffLimit": int64(1),
		"template": object{"spec": object{
			"serviceAccountName": hookAccount, "restartPolicy": "Never",
			"securityContext": object{"runAsNonRoot": true, "seccompProfile": object{"type": "RuntimeDefault"}},
			"containers": []object{{
				"name": "hcctl", "image": o.Image, "command": command,
				"resources": object{"requests": object{"cpu": "10m", "memory": "64Mi"}},
				"securityContext": object{"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
					"capabilities": object{"drop": []string{"ALL"}}},
				"terminationMessagePolicy": "FallbackToLogsOnError",
			}},
		}},
	}})
	job["metadata"].(object)["annotations"] = object{ //nolint:forcetypeassert // named has made it
		"argocd.argoproj.io/hook": phase, "argocd.argoproj.io/hook-delete-policy": "BeforeHookCreation",
	}
	return job
}

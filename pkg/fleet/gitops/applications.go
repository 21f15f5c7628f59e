package gitops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// Good values of Argo CD (argo-cd, pkg/apis/application/v1alpha1/types.go and gitops-engine, pkg/health).
const (
	synced  = "Synced"
	healthy = "Healthy"
	// suspended is the health of what was stopped or paused on purpose.
	suspended = "Suspended"
)

// ManagementCluster is the name in a Row for the cluster that Argo CD runs on.
const ManagementCluster = "management cluster"

// maxRead limits the hosted clusters whose status is read for a better reason than Argo CD's.
const maxRead = 10

// Row is one Application: one directory of Git in one cluster.
type Row struct {
	Application string `json:"application"`
	// Cluster is the hosted cluster as "namespace/name", ManagementCluster, or else the cluster's name in the
	// Application.
	Cluster string `json:"cluster"`
	// Environment is the value of EnvironmentLabel.
	Environment string `json:"environment,omitempty"`
	// Sync and Health are the values of Argo CD, or "Unknown" without one.
	Sync   string `json:"sync"`
	Health string `json:"health"`
	// Revision is the commit that Argo CD compared last.
	Revision string `json:"revision,omitempty"`
	// Reason is why the Application is not synced or not healthy, Hint what to do. Both are empty if all is
	// well.
	Reason string `json:"reason,omitempty"`
	Hint   string `json:"hint,omitempty"`
}

// OK reports whether nothing has to be done: synced and healthy, or stopped on purpose.
func (r Row) OK() bool { return r.Sync == synced && (r.Health == healthy || r.Health == suspended) }

// ErrNoArgo means that the kind Application is not registered.
var ErrNoArgo = errors.New("there is no kind Application (argoproj.io): Argo CD is not installed")

// Applications returns a Row for each Application of the namespace, sorted by name, those with problems first.
// Its error is ErrNoArgo or that of the read.
func Applications(ctx context.Context, r kube.Reader, namespace string) ([]Row, error) {
	list := kube.Application.NewList()
	err := r.List(ctx, list, client.InNamespace(namespace))
	switch {
	case kube.IsKindMissing(err):
		return nil, ErrNoArgo
	case err != nil:
		return nil, err
	}
	clusters := knownClusters(ctx, r)
	rows, looked := make([]Row, 0, len(list.Items)), 0
	for i := range list.Items {
		u := &list.Items[i]
		row := Row{Application: u.GetName(), Environment: u.GetLabels()[EnvironmentLabel],
			Cluster:  clusters.name(kube.Text(u, "spec", "destination", "server"), kube.Text(u, "spec", "destination", "name")),
			Sync:     cmp.Or(kube.Text(u, "status", "sync", "status"), "Unknown"),
			Health:   cmp.Or(kube.Text(u, "status", "health", "status"), "Unknown"),
			Revision: kube.Text(u, "status", "sync", "revision")}
		if !row.OK() {
			row.Reason, row.Hint = reason(u, row)
			if bad := badHostedCluster(u); bad != nil && looked < maxRead {
				looked++
				if own, hint := ownReason(ctx, r, *bad); own != "" {
					row.Reason, row.Hint = own, hint
				}
			}
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b Row) int {
		if a.OK() != b.OK() {
			if a.OK() {
				return 1
			}
			return -1
		}
		return strings.Compare(a.Application, b.Application)
	})
	return rows, nil
}

// knownServers maps the host and port of API servers to hosted clusters.
type knownServers map[string]string

// knownClusters returns no servers if HostedClusters cannot be read: rows have the server's address then.
func knownClusters(ctx context.Context, r kube.Reader) knownServers {
	list, known := &hyperv1.HostedClusterList{}, knownServers{}
	if err := r.List(ctx, list); err != nil {
		return known
	}
	for i := range list.Items {
		if e := list.Items[i].Status.ControlPlaneEndpoint; e.Host != "" {
			known[fmt.Sprintf("%s:%d", e.Host, e.Port)] = kube.Name(&list.Items[i])
		}
	}
	return known
}

func (k knownServers) name(server, name string) string {
	if server == manager || name == "in-cluster" {
		return ManagementCluster
	}
	if u, err := url.Parse(server); err == nil && k[u.Host] != "" {
		return k[u.Host]
	}
	if name != "" {
		return name
	}
	return cmp.Or(server, "Unknown")
}

// reason returns Argo CD's reason: why it cannot compare, why the last sync failed, or which resource is not
// healthy.
func reason(u *unstructured.Unstructured, row Row) (why, hint string) {
	for _, c := range kube.Maps(u, "status", "conditions") {
		kind, _ := c["type"].(string)
		message, _ := c["message"].(string)
		if strings.HasSuffix(kind, "Error") && message != "" {
			return kind + ": " + message, advice(message)
		}
	}
	operation := kube.Text(u, "status", "operationState", "phase")
	message := kube.Text(u, "status", "operationState", "message")
	if operation == "Failed" || operation == "Error" {
		for _, r := range kube.Maps(u, "status", "operationState", "syncResult", "resources") {
			if text := failed(r); text != "" {
				return text, advice(text)
			}
		}
		return "the last sync failed: " + message, advice(message)
	}
	var unhealthy, differ []string
	for _, r := range kube.Maps(u, "status", "resources") {
		health, _ := r["health"].(map[string]any)
		state, _ := health["status"].(string)
		text, _ := health["message"].(string)
		switch {
		case state != "" && state != healthy && state != suspended:
			unhealthy = append(unhealthy, strings.TrimSuffix(identify(r)+" is "+state+": "+text, ": "))
		case r["status"] != nil && r["status"] != synced:
			differ = append(differ, identify(r))
		}
	}
	switch {
	case len(unhealthy) > 0:
		return plural.Few(unhealthy, 3), waiting(u, row)
	case operation == "Running":
		return "being synced: " + message, waiting(u, row)
	case len(differ) > 0:
		return "not as in Git: " + plural.Few(differ, 3), "argocd app diff " + row.Application + " shows the difference"
	}
	if row.Sync == synced {
		// Since version 3.0 the Application no longer has the health of each resource.
		return "Argo CD says " + row.Health + " of something in it", "argocd app get " + row.Application +
			", or look at the objects in the cluster"
	}
	return "Argo CD has not said why", "oc get application " + row.Application + " -n " + u.GetNamespace() + " -o yaml"
}

// waiting returns the advice for a newer commit that waits for the end of a sync, or "". Argo CD takes no other
// commit while a sync waits for its objects to be healthy or for its hooks.
func waiting(u *unstructured.Unstructured, row Row) string {
	const short = 8
	running := kube.Text(u, "status", "operationState", "operation", "sync", "revision")
	if kube.Text(u, "status", "operationState", "phase") != "Running" || len(running) < short ||
		len(row.Revision) < short || running == row.Revision {
		return ""
	}
	return fmt.Sprintf("commit %s waits until the sync of %s ends: mend what that waits for, or end it with "+
		"argocd app terminate-op %s", row.Revision[:short], running[:short], row.Application)
}

// failed returns what failed for a resource in a sync, or "".
func failed(r map[string]any) string {
	status, _ := r["status"].(string)
	phase, _ := r["hookPhase"].(string)
	message, _ := r["message"].(string)
	switch {
	case r["hookType"] != nil && (phase == "Failed" || phase == "Error"):
		return fmt.Sprintf("hook %v, %s, failed: %s", r["hookType"], identify(r), message)
	case status == "SyncFailed":
		return identify(r) + " was refused: " + message
	}
	return ""
}

func identify(r map[string]any) string {
	kind, _ := r["kind"].(string)
	namespace, _ := r["namespace"].(string)
	name, _ := r["name"].(string)
	if namespace != "" {
		name = namespace + "/" + name
	}
	return kind + " " + name
}

// advice returns what to do about messages of Kubernetes that have only one cause.
func advice(message string) string {
	for part, hint := range map[string]string{
		"Unauthorized": "the token in Argo CD's Secret for the cluster is not valid any more: " +
			"hcctl gitops register renews it",
		"is forbidden": fmt.Sprintf("Argo CD's application controller may not do that there: argocd/controller-role.yaml "+
			"has its "+
			"role on the management cluster, %s gives it one in hosted clusters",
			hint.Run("gitops register").Flag("cluster-role")),
		"unable to resolve parseableType": "Argo CD has not read the cluster's kinds again since this one came: restart " +
			"its application controller, and take ServerSideApply=true out of what is synced into hosted clusters",
		"no matches for kind": "the operator that brings the kind is not installed yet; Argo CD tries again",
	} {
		if strings.Contains(message, part) {
			return hint
		}
	}
	return ""
}

// badHostedCluster returns the first HostedCluster that the Application reports as not healthy.
func badHostedCluster(u *unstructured.Unstructured) *client.ObjectKey {
	for _, r := range kube.Maps(u, "status", "resources") {
		health, _ := r["health"].(map[string]any)
		if r["group"] != hyperv1.GroupVersion.Group || r["kind"] != "HostedCluster" || health["status"] == healthy {
			continue
		}
		namespace, _ := r["namespace"].(string)
		name, _ := r["name"].(string)
		return &client.ObjectKey{Namespace: namespace, Name: name}
	}
	return nil
}

// ownReason returns what hcctl status reports about the hosted cluster.
func ownReason(ctx context.Context, r kube.Reader, key client.ObjectKey) (why, hint string) {
	seen, err := status.Of(ctx, r, key.Namespace, key.Name)
	if err != nil || seen.Message == "" {
		return "", ""
	}
	return fmt.Sprintf("HostedCluster %s is %s: %s", key, seen.Health, seen.Message), seen.Hint().String()
}

package controlplane

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
)

//go:embed objects.tsv
var objectsTable string

// object is a row of objects.tsv.
type object struct {
	kind, name, owner   string
	labels, annotations []string
	content             []string
}

// tableObjects parses objects.tsv once.
var tableObjects = sync.OnceValue(func() []object {
	var list []object
	for line := range strings.Lines(objectsTable) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(columns) != 6 {
			continue
		}
		split := func(i int, separator string) []string {
			if columns[i] == "-" {
				return nil
			}
			return strings.Split(columns[i], separator)
		}
		list = append(list, object{kind: columns[0], name: columns[1], owner: columns[2], labels: split(3, ","),
			annotations: split(4, ","), content: split(5, " ")})
	}
	return list
})

// groupVersions are those of the kinds in objects.tsv.
var groupVersions = map[string]string{
	"Secret": "v1", "ConfigMap": "v1", "ServiceAccount": "v1", "Service": "v1",
	"Role": "rbac.authorization.k8s.io/v1", "RoleBinding": "rbac.authorization.k8s.io/v1",
	"NetworkPolicy": "networking.k8s.io/v1", "PodDisruptionBudget": "policy/v1", "Job": "batch/v1", "CronJob": "batch/v1",
	"PodMonitor": "monitoring.coreos.com/v1", "ServiceMonitor": "monitoring.coreos.com/v1",
	"PrometheusRule": "monitoring.coreos.com/v1",
}

// routed are the Services that Routes lead to. A lean sandbox has only these.
var routed = []string{"ignition-server-proxy", "konnectivity-server", "oauth-openshift"}

// ensureObjects creates what nothing reads, once for each control plane: it neither watches these objects nor looks at
// them again. The namespace's deletion takes them away.
func (r *controlPlanes) ensureObjects(ctx context.Context, hcp *hyperv1.HostedControlPlane) error {
	if _, done := r.furnished.Load(hcp.UID); done {
		return nil
	}
	cert, key, err := guest.SelfSigned("root-ca")
	if err != nil {
		return err
	}
	for _, row := range tableObjects() {
		if r.Lean && !(row.kind == "Service" && slices.Contains(routed, row.name)) ||
			row.name == "redhat-marketplace" && !r.Features.Has(reconciler.Marketplace) {
			continue
		}
		o := row.render(hcp, map[string]string{"tls.crt": string(cert), "tls.key": string(key), "ca.crt": string(cert)})
		if row.owner == "control-plane" {
			if err := controllerutil.SetControllerReference(hcp, o, r.Scheme); err != nil {
				return fmt.Errorf("own %s %s: %w", row.kind, row.name, err)
			}
		}
		if err := r.Client.Create(ctx, o); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create %s %s/%s: %w", row.kind, hcp.Namespace, o.GetName(), err)
		}
	}
	r.furnished.Store(hcp.UID, true)
	return nil
}

// render makes the object with as little content as the API server takes. pems are the values of some keys.
func (row object) render(hcp *hyperv1.HostedControlPlane, pems map[string]string) *unstructured.Unstructured {
	of := func(s string) string { return strings.ReplaceAll(s, "<infra>", hcp.Spec.InfraID) }
	o := &unstructured.Unstructured{Object: row.body(hcp.Namespace, pems)}
	o.SetGroupVersionKind(schema.FromAPIVersionAndKind(groupVersions[row.kind], row.kind))
	o.SetNamespace(hcp.Namespace)
	o.SetName(of(row.name))
	labels, annotations := pairs(row.labels), map[string]string{}
	for k, v := range labels {
		labels[k] = of(v)
	}
	for _, a := range row.annotations {
		annotations[a] = ""
	}
	if row.owner == "cluster" {
		annotations[metadata.ClusterAnnotation] = hcp.Annotations[metadata.ClusterAnnotation]
	}
	if len(labels) > 0 {
		o.SetLabels(labels)
	}
	if len(annotations) > 0 {
		o.SetAnnotations(annotations)
	}
	return o
}

// pairs reads key=value.
func pairs(list []string) map[string]string {
	m := map[string]string{}
	for _, entry := range list {
		key, value, _ := strings.Cut(entry, "=")
		m[key] = value
	}
	return m
}

type fields = map[string]any

func (row object) body(namespace string, pems map[string]string) fields {
	selector := fields{"matchLabels": fields{"app": row.name}}
	switch row.kind {
	case "Secret", "ConfigMap":
		return row.data(pems)
	case "Service":
		return row.service()
	case "RoleBinding":
		account := strings.TrimSuffix(row.name, "-role")
		return fields{"roleRef": fields{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": row.name},
			"subjects": []any{fields{"kind": "ServiceAccount", "name": account, "namespace": namespace}}}
	case "NetworkPolicy":
		return fields{"spec": fields{"podSelector": fields{}, "policyTypes": []any{"Ingress"}, "ingress": []any{fields{}}}}
	case "PodDisruptionBudget":
		return fields{"spec": fields{"maxUnavailable": int64(1), "selector": selector}}
	case "Job":
		// Kubernetes' own controller leaves it alone: no pod runs.
		return fields{"spec": fields{"managedBy": "sandbox.hcctl.dev/simulated", "template": podOf(row.name)}}
	case "CronJob":
		return fields{"spec": fields{"schedule": "*/15 * * * *", "suspend": true,
			"jobTemplate": fields{"spec": fields{"template": podOf(row.name)}}}}
	case "ServiceMonitor", "PodMonitor":
		return fields{"spec": fields{"selector": selector}}
	case "PrometheusRule":
		return fields{"spec": fields{"groups": []any{}}}
	}
	return fields{}
}

func podOf(name string) fields {
	return fields{"spec": fields{"restartPolicy": "Never", "containers": []any{fields{"name": name, "image": name}}}}
}

// data has the keys of a Secret, whose type may be the first of the content, or of a ConfigMap.
func (row object) data(pems map[string]string) fields {
	body, data := fields{}, fields{}
	for _, key := range row.content {
		if kind, isType := strings.CutSuffix(key, ":"); isType {
			body["type"] = kind
			continue
		}
		data[key] = pems[key]
	}
	if row.kind == "Secret" {
		body["stringData"] = data
	} else {
		body["data"] = data
	}
	return body
}

// service reads "PORT [headless] SELECTOR".
func (row object) service() fields {
	port, err := strconv.ParseInt(row.content[0], 10, 32)
	if err != nil {
		port = 0 // a test checks every row
	}
	selector := fields{}
	for k, v := range maps.All(pairs(strings.Split(row.content[len(row.content)-1], ","))) {
		selector[k] = v
	}
	spec := fields{"selector": selector, "ports": []any{fields{"port": port, "protocol": "TCP"}}}
	if slices.Contains(row.content, "headless") {
		spec["clusterIP"] = "None"
	}
	return fields{"spec": spec}
}

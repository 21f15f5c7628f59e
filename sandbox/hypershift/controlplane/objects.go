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
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
)

//go:embed objects.tsv
var objectsTable string

// object is a row of objects.tsv.
type object struct {
	kind, name, owner string
	// stage is when it is made: one of the constants below, or the name of a component.
	stage               string
	labels, annotations []string
	content             []string
}

// tableObjects parses objects.tsv once.
var tableObjects = sync.OnceValue(func() []object {
	var list []object
	for line := range strings.Lines(objectsTable) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(columns) != 7 {
			continue
		}
		split := func(i int, separator string) []string {
			if columns[i] == "-" {
				return nil
			}
			return strings.Split(columns[i], separator)
		}
		list = append(list, object{kind: columns[0], name: columns[1], stage: columns[2], owner: columns[3],
			labels: split(4, ","), annotations: split(5, ","), content: split(6, " ")})
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

// published are the Services of the table that Routes lead to, or that have node ports. A lean sandbox has only these.
var published = map[string]hyperv1.ServiceType{
	"ignition-server-proxy": hyperv1.Ignition, "konnectivity-server": hyperv1.Konnectivity,
	"oauth-openshift": hyperv1.OAuthServer,
}

// Stages of objects.tsv, besides the names of components.
const (
	stageOperator       = "hypershift-operator"
	stageInfrastructure = "infrastructure"
	stageAddress        = "address"
)

// furnishing is a stage of one control plane.
type furnishing struct {
	hcp   types.UID
	stage string
}

// ensureObjects creates the objects of a stage that nothing reads, once for each control plane: it neither watches them
// nor looks at them again. The namespace's deletion takes them away.
func (r *controlPlanes) ensureObjects(ctx context.Context, hcp *hyperv1.HostedControlPlane, stage string) error {
	id := furnishing{hcp.UID, stage}
	if _, done := r.furnished.Load(id); done {
		return nil
	}
	var pems map[string]string
	for _, row := range tableObjects() {
		if row.stage != stage || r.Lean && (row.kind != "Service" || published[row.name] == "") {
			continue
		}
		if pems == nil {
			cert, key, err := guest.SelfSigned("root-ca")
			if err != nil {
				return err
			}
			pems = map[string]string{"tls.crt": string(cert), "tls.key": string(key), "ca.crt": string(cert)}
		}
		o := row.render(hcp, pems)
		if row.owner == "control-plane" {
			if err := controllerutil.SetControllerReference(hcp, o, r.Scheme); err != nil {
				return fmt.Errorf("own %s %s: %w", row.kind, row.name, err)
			}
		}
		if err := r.Client.Create(ctx, o); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create %s %s/%s: %w", row.kind, hcp.Namespace, o.GetName(), err)
		}
	}
	r.furnished.Store(id, true)
	return nil
}

// ensureAddressed writes, once, what follows the address of the API server: the kubeadmin password, keys, certificates,
// and the namespace's own account, which Kubernetes has made.
func (r *controlPlanes) ensureAddressed(ctx context.Context, hcp *hyperv1.HostedControlPlane) error {
	if _, done := r.furnished.Load(furnishing{hcp.UID, stageAddress}); done {
		return nil
	}
	if err := r.ensurePassword(ctx, hcp); err != nil {
		return err
	}
	if !r.Lean {
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: hcp.Namespace, Name: "default"}}
		_, err := controllerutil.CreateOrUpdate(ctx, r.Client, account, func() error {
			pull := corev1.LocalObjectReference{Name: metadata.PullSecretName}
			if !slices.Contains(account.ImagePullSecrets, pull) {
				account.ImagePullSecrets = append(account.ImagePullSecrets, pull)
			}
			return controllerutil.SetControllerReference(hcp, account, r.Scheme)
		})
		if err != nil {
			return fmt.Errorf("failed to reconcile default service account: %w", err)
		}
	}
	return r.ensureObjects(ctx, hcp, stageAddress)
}

// forgetObjects forgets what was created for a control plane.
func (r *controlPlanes) forgetObjects(hcp types.UID) {
	r.furnished.Range(func(id, _ any) bool {
		if f, ok := id.(furnishing); ok && f.hcp == hcp {
			r.furnished.Delete(id)
		}
		return true
	})
}

// render makes the object with as little content as the API server takes. pems are the values of some keys.
func (row object) render(hcp *hyperv1.HostedControlPlane, pems map[string]string) *unstructured.Unstructured {
	of := func(s string) string { return strings.ReplaceAll(s, "<infra>", hcp.Spec.InfraID) }
	o := &unstructured.Unstructured{Object: row.body(hcp, pems)}
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

func (row object) body(hcp *hyperv1.HostedControlPlane, pems map[string]string) fields {
	selector := fields{"matchLabels": fields{"app": row.name}}
	switch row.kind {
	case "Secret", "ConfigMap":
		return row.data(pems)
	case "Service":
		return row.service(hcp.Spec.Services)
	case "RoleBinding":
		account := strings.TrimSuffix(row.name, "-role")
		return fields{"roleRef": fields{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": row.name},
			"subjects": []any{fields{"kind": "ServiceAccount", "name": account, "namespace": hcp.Namespace}}}
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

// service reads "PORT [headless] SELECTOR". A published Service may have a node port.
func (row object) service(publishing []hyperv1.ServicePublishingStrategyMapping) fields {
	port, err := strconv.ParseInt(row.content[0], 10, 32)
	if err != nil {
		port = 0 // a test checks every row
	}
	selector := fields{}
	for k, v := range maps.All(pairs(strings.Split(row.content[len(row.content)-1], ","))) {
		selector[k] = v
	}
	first := fields{"port": port, "protocol": "TCP"}
	spec := fields{"selector": selector, "ports": []any{first}}
	if how := reconciler.Publishing(publishing, published[row.name]); how != nil && how.Type == hyperv1.NodePort {
		spec["type"] = string(corev1.ServiceTypeNodePort)
		if how.NodePort != nil && how.NodePort.Port != 0 {
			first["nodePort"] = int64(how.NodePort.Port)
		}
	}
	if slices.Contains(row.content, "headless") {
		spec["clusterIP"] = "None"
	}
	return fields{"spec": spec}
}

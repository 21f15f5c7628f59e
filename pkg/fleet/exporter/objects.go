package exporter

import (
	_ "embed"
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/rbac"
)

//go:embed rules.yaml
var rules []byte

// Dashboard is a dashboard for Grafana, as JSON.
//
//go:embed dashboard.json
var Dashboard []byte

// Name is the name of all objects that Objects returns.
const Name = "hcctl-exporter"

const (
	port = 9467
	// certificate is the directory of the Secret that OpenShift's service CA creates.
	certificate = "/etc/hcctl-exporter/tls"
	// serviceCA is the ConfigMap in every namespace with OpenShift's service CA, and serviceCAKey its key.
	serviceCA, serviceCAKey = "openshift-service-ca.crt", "service-ca.crt"
)

// Deployment configures the objects that run the exporter.
type Deployment struct {
	// Namespace is where the exporter runs, and whose hosted clusters it exports.
	Namespace string
	// AllNamespaces exports the hosted clusters of all namespaces.
	AllNamespaces bool
	// Image is an image with hcctl in its PATH.
	Image string
	// Labels are labels of HostedClusters to export as labels of a metric.
	Labels string
	// Expiry reads Secrets, to export when certificates and tokens expire.
	Expiry bool
	// Causes reads unhealthy clusters in detail.
	Causes bool
}

// Objects returns all objects that run the exporter on OpenShift: account, roles, Deployment, Service,
// NetworkPolicy, ServiceMonitor and alerts.
func (d *Deployment) Objects() ([]*unstructured.Unstructured, error) {
	account := d.object("v1", "ServiceAccount", nil)
	roles := rbac.Roles{Options: rbac.Options{Purposes: []rbac.Purpose{rbac.Exporter}},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: d.Namespace, Name: Name}}}
	if d.Expiry {
		roles.Purposes = append(roles.Purposes, rbac.Expiry)
	}
	if d.Causes {
		roles.Purposes = append(roles.Purposes, rbac.Viewer, rbac.Login)
	}
	if !d.AllNamespaces {
		roles.Namespace = d.Namespace
	}
	roles.Name = roles.DefaultName()
	all, err := roles.Unstructured(d.labels())
	if err != nil {
		return nil, err
	}
	alerts := map[string]any{}
	if err := yaml.Unmarshal(rules, &alerts); err != nil {
		return nil, fmt.Errorf("alerts: %w", err)
	}
	selector := map[string]any{"matchLabels": anyLabels(d.selector())}
	service := d.object("v1", "Service", map[string]any{
		"selector": anyLabels(d.selector()),
		"ports":    []any{map[string]any{"name": "metrics", "port": int64(port), "targetPort": "metrics"}},
	})
	service.SetAnnotations(map[string]string{"service.beta.openshift.io/serving-cert-secret-name": Name + "-tls"})
	return append(append([]*unstructured.Unstructured{account}, all...),
		d.deployment(), service,
		d.object("networking.k8s.io/v1", "NetworkPolicy", map[string]any{
			"podSelector": selector, "policyTypes": []any{"Ingress"},
			"ingress": []any{map[string]any{
				"ports": []any{map[string]any{"port": int64(port)}},
				"from": []any{map[string]any{"namespaceSelector": map[string]any{"matchExpressions": []any{map[string]any{
					"key": "kubernetes.io/metadata.name", "operator": "In",
					"values": []any{"openshift-monitoring", "openshift-user-workload-monitoring"}}}}}},
			}},
		}),
		d.object("monitoring.coreos.com/v1", "ServiceMonitor", map[string]any{
			"selector": selector,
			"endpoints": []any{map[string]any{"port": "metrics", "scheme": "https", "interval": "30s",
				"tlsConfig": map[string]any{
					"ca":         map[string]any{"configMap": map[string]any{"name": serviceCA, "key": serviceCAKey}},
					"serverName": fmt.Sprintf("%s.%s.svc", Name, d.Namespace),
				}}},
		}),
		d.object("monitoring.coreos.com/v1", "PrometheusRule", alerts)), nil
}

// deployment returns a Deployment of one pod that meets the PodSecurity level restricted.
func (d *Deployment) deployment() *unstructured.Unstructured {
	command := []any{"hcctl", "exporter", hint.Flag("listen").String(), fmt.Sprintf(":%d", port),
		hint.Flag("tls-cert").String(), certificate + "/tls.crt",
		hint.Flag("tls-key").String(), certificate + "/tls.key"}
	if d.AllNamespaces {
		command = append(command, hint.Flag("all-namespaces").String())
	} else {
		command = append(command, hint.Flag("namespace").String(), d.Namespace)
	}
	if d.Expiry {
		command = append(command, hint.Flag("expiry").String())
	}
	if d.Causes {
		command = append(command, hint.Flag("causes").String())
	}
	if d.Labels != "" {
		command = append(command, hint.Flag("cluster-labels").String(), d.Labels)
	}
	probe := func(path string) map[string]any {
		return map[string]any{"httpGet": map[string]any{"path": path, "port": "metrics", "scheme": "HTTPS"}}
	}
	container := map[string]any{
		"name": "hcctl", "image": d.Image, "command": command,
		"ports":         []any{map[string]any{"name": "metrics", "containerPort": int64(port)}},
		"livenessProbe": probe("/healthz"), "readinessProbe": probe("/readyz"),
		"resources": map[string]any{"requests": map[string]any{"cpu": "10m", "memory": "128Mi"}},
		// hcctl's own soft limit is meant for a command that ends: with about 5,000 clusters the garbage
		// collector would run all the time.
		"env": []any{map[string]any{"name": "GOMEMLIMIT", "value": "1GiB"}},
		"securityContext": map[string]any{"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
			"capabilities": map[string]any{"drop": []any{"ALL"}}},
		"terminationMessagePolicy": "FallbackToLogsOnError",
		"volumeMounts":             []any{map[string]any{"name": "tls", "mountPath": certificate, "readOnly": true}},
	}
	return d.object("apps/v1", "Deployment", map[string]any{
		"replicas": int64(1),
		"selector": map[string]any{"matchLabels": anyLabels(d.selector())},
		"template": map[string]any{
			"metadata": map[string]any{"labels": anyLabels(d.labels())},
			"spec": map[string]any{"serviceAccountName": Name, "containers": []any{container},
				"securityContext": map[string]any{"runAsNonRoot": true,
					"seccompProfile": map[string]any{"type": "RuntimeDefault"}},
				"volumes": []any{map[string]any{"name": "tls", "secret": map[string]any{"secretName": Name + "-tls"}}}},
		},
	})
}

func (d *Deployment) object(version, kind string, spec map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetAPIVersion(version)
	u.SetKind(kind)
	u.SetNamespace(d.Namespace)
	u.SetName(Name)
	u.SetLabels(d.labels())
	if spec != nil {
		u.Object["spec"] = spec
	}
	return u
}

func (d *Deployment) selector() map[string]string {
	return map[string]string{"app.kubernetes.io/name": Name}
}

func (d *Deployment) labels() map[string]string {
	return map[string]string{"app.kubernetes.io/name": Name, kube.ManagedByLabel: kube.FieldOwner}
}

func anyLabels(labels map[string]string) map[string]any {
	out := map[string]any{}
	for key, value := range labels {
		out[key] = value
	}
	return out
}

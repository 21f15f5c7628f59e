package restore

import (
	"context"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// objectSteps returns the steps that create the missing objects. They do not change existing ones.
func (p *Plan) objectSteps() []step.Step {
	m := p.content.Manifest
	steps := []step.Step{
		p.namespaceStep("restore/namespace", m.Namespace, hostedcluster.Mark{}),
		p.createStep("restore/secrets", "what the cluster names", "restore/namespace", p.objects(func(
			o *unstructured.Unstructured) bool {
			return o.GetNamespace() == m.Namespace && (o.GetKind() == "Secret" || o.GetKind() == "ConfigMap")
		})),
		// With this mark delete knows that the namespace is this cluster's, although it is older than the HostedCluster.
		p.namespaceStep("restore/control-plane-namespace", p.plane(), hostedcluster.Mark{Cluster: m.Namespace + "/" + m.Name,
			InfraID: m.InfraID}),
		p.createStep("restore/keys", "keys of the control plane", "restore/control-plane-namespace", p.objects(func(
			o *unstructured.Unstructured) bool {
			return o.GetNamespace() == p.plane()
		})),
		p.hostedClusterStep(),
	}
	return steps
}

// objects returns the selected objects of the backup.
func (p *Plan) objects(which func(*unstructured.Unstructured) bool) []*unstructured.Unstructured {
	var out []*unstructured.Unstructured
	for _, o := range p.content.Objects {
		if which(o) {
			out = append(out, o)
		}
	}
	return out
}

func (p *Plan) namespaceStep(id step.ID, name string, mark hostedcluster.Mark) step.Step {
	return step.Step{
		ID: id, Title: "Namespace " + name, Group: "objects",
		Check: p.client.Reading(func(ctx context.Context, r kube.Reader) step.Finding {
			ns := &corev1.Namespace{}
			s := readObject(ctx, r, "Namespace", client.ObjectKey{Name: name}, ns)
			if s.found && ns.DeletionTimestamp != nil {
				return step.Pending("is being deleted, and has to be gone first").On("%s", s.on)
			}
			return s.existsFinding()
		}),
		Apply: func(ctx context.Context) (step.Change, error) {
			ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
			if mark != (hostedcluster.Mark{}) {
				mark.SetOn(ns)
			}
			return p.client.CreateOnce(ctx, ns)
		},
	}
}

// createStep returns a step that creates those of the objects that do not exist.
func (p *Plan) createStep(id step.ID, title string, needs step.ID, list []*unstructured.Unstructured) step.Step {
	return step.Step{
		ID: id, Title: title, Group: "objects", Needs: []step.ID{needs},
		Check: p.client.Reading(func(ctx context.Context, r kube.Reader) step.Finding {
			for _, o := range list {
				s := readObject(ctx, r, o.GetKind(), client.ObjectKeyFromObject(o), typed(o))
				if f := s.existsFinding(); f.State != step.StateOK {
					return f
				}
			}
			return step.OK("%s", plural.Count(len(list), "object"))
		}),
		Apply: func(ctx context.Context) (step.Change, error) {
			change := step.Unchanged
			for _, o := range list {
				one, err := p.client.CreateOnce(ctx, o.DeepCopy())
				if err != nil {
					return change, err
				}
				change = step.Join(change, one)
			}
			return change, nil
		},
	}
}

// typed returns an empty object of the type that the client has informers for. An archive has no other kinds.
func typed(o *unstructured.Unstructured) client.Object {
	switch o.GetKind() {
	case "Secret":
		return &corev1.Secret{}
	case "ConfigMap":
		return &corev1.ConfigMap{}
	case hostedcluster.NodePoolKind:
		return &hyperv1.NodePool{}
	}
	return o.DeepCopy()
}

// hostedClusterStep returns the step that creates the HostedCluster with the mark of this restore.
func (p *Plan) hostedClusterStep() step.Step {
	m := p.content.Manifest
	return step.Step{
		ID: "restore/hosted-cluster", Title: "HostedCluster " + m.Name, Group: "objects",
		Needs: []step.ID{"restore/secrets", "restore/keys"},
		Check: p.client.Reading(func(ctx context.Context, r kube.Reader) step.Finding {
			_, s := p.cluster(ctx, r)
			return s.existsFinding()
		}),
		Apply: func(ctx context.Context) (step.Change, error) {
			hc := p.content.Object(hostedcluster.HostedClusterKind, m.Namespace, m.Name).DeepCopy()
			unstructured.RemoveNestedField(hc.Object, "spec", "pausedUntil")
			annotations := hc.GetAnnotations()
			if annotations == nil {
				annotations = map[string]string{}
			}
			annotations[MarkAnnotation] = p.mark.encode()
			hc.SetAnnotations(annotations)
			return p.client.CreateOnce(ctx, hc)
		},
	}
}

// poolsStep returns the step that creates the NodePools of a HostedCluster that the restore created.
func (p *Plan) poolsStep() step.Step {
	return p.createStep("restore/node-pools", "NodePools", "restore/api-servers-started", p.objects(func(
		o *unstructured.Unstructured) bool {
		return o.GetKind() == hostedcluster.NodePoolKind
	}))
}

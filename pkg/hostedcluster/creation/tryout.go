package creation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// DeniedError means that the API server refuses an object of the cluster: the CRD's rules, an admission webhook or a
// policy do.
type DeniedError struct {
	// Object is what was refused, such as "HostedCluster clusters/kv-00".
	Object string
	// Err is the API server's answer.
	Err error
}

// Error names the object once, and says which rule refuses it.
func (e *DeniedError) Error() string {
	if kube.IsDenied(e.Err) {
		return e.Object + ": " + kube.Explain(e.Err)
	}
	return fmt.Sprintf("%s: this cluster's HyperShift refuses it: %s", e.Object,
		cmp.Or(kube.Causes(e.Err), kube.Explain(e.Err)))
}

// Failure is Missing where a quota leaves too little, as the check that counts quotas has it.
func (e *DeniedError) Failure() failure.Kind {
	if kube.IsOverQuota(e.Err) {
		return failure.Missing
	}
	return failure.Other
}

// Unwrap returns the API server's answer.
func (e *DeniedError) Unwrap() error { return e.Err }

// tryOut asks the API server, by dry runs, whether it would take the HostedCluster and the NodePools, before anything
// is written: whether its CRDs know the fields, and what their rules, webhooks and policies say. It notes that a
// namespace is there, or not yet; all other trouble is left for later.
func (p *Plan) tryOut(ctx context.Context) error {
	tried := []client.Object{p.wiredCluster()}
	for _, pool := range p.Options.NodePools {
		tried = append(tried, objects.NodePool(p.Options, pool, p.Inputs))
	}
	errs, lacking, taken := make([]error, len(tried)), make([]bool, len(tried)), make([]bool, len(tried))
	try := func(i int) error {
		obj := tried[i]
		kind := obj.GetObjectKind().GroupVersionKind().Kind
		err := p.client.Create(ctx, obj, client.DryRunAll, client.FieldValidation(metav1.FieldValidationStrict))
		unknown, lost := unknownFields(obj, err)
		if unknown == nil && lost {
			// An older HyperShift: its API server looked at no value yet.
			err = p.client.Create(ctx, obj, client.DryRunAll)
		}
		refused := p.wiringRefused(err)
		switch taken[i] = err == nil; {
		case refused != nil:
			return refused
		case unknown != nil:
			return unknown
		case apierrors.IsInvalid(err), apierrors.IsBadRequest(err), kube.IsDenied(err):
			return &DeniedError{Object: kind + " " + kube.Name(obj), Err: err}
		case apierrors.IsNotFound(err) && !kube.IsKindMissing(err):
			lacking[i] = true
		}
		return nil
	}
	var wg sync.WaitGroup
	for i := range tried {
		wg.Go(func() { errs[i] = try(i) })
	}
	wg.Wait()
	p.lacksNamespace = slices.Contains(lacking, true)
	p.hasNamespace = !p.lacksNamespace && slices.Contains(taken, true)
	return errors.Join(errs...)
}

// settleWirings settles what the services will write into the HostedCluster, and returns it as it is, or is to be.
func (p *Plan) settleWirings(hc *hyperv1.HostedCluster) (like *hyperv1.HostedCluster, err error) {
	if hc == nil {
		hc = objects.TypedHostedCluster(p.Options, p.Inputs)
	}
	p.wirings, err = services.Wirings(p.Options, hc)
	return hc, err
}

// wiredCluster is the HostedCluster as it will be once its services are there.
func (p *Plan) wiredCluster() client.Object {
	hc := objects.HostedCluster(p.Options, p.Inputs)
	if len(p.wirings) == 0 {
		return hc
	}
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(hc)
	if err != nil {
		return hc
	}
	delete(m, "status")
	for _, w := range p.wirings {
		objects.Merge(m, map[string]any{"spec": map[string]any{"configuration": w.Configuration}})
	}
	u := &unstructured.Unstructured{Object: m}
	u.SetGroupVersionKind(hyperv1.GroupVersion.WithKind(hostedcluster.HostedClusterKind))
	return u
}

// tryWirings asks the API server by a dry run whether it would take what the services write into a HostedCluster that
// exists. All other trouble is left for later.
func (p *Plan) tryWirings(ctx context.Context, hc *hyperv1.HostedCluster) error {
	for _, w := range p.wirings {
		_, err := hostedcluster.Edit(ctx, p.client, hc.DeepCopy(), map[string]any{
			"spec": map[string]any{"configuration": w.Configuration}}, client.DryRunAll)
		if refused := p.wiringRefused(err); refused != nil {
			return refused
		}
	}
	return nil
}

// wiringRefused is the API server's refusal of what a service writes into the HostedCluster, as the error of the option
// that asks for it; nil if the refusal is about something else.
func (p *Plan) wiringRefused(err error) error {
	fields := hostedcluster.UnknownFields(err)
	detail := "this cluster's HyperShift does not know %s of a HostedCluster"
	if apierrors.IsInvalid(err) {
		fields, detail = kube.CauseFields(err), "this cluster's HyperShift refuses %s of a HostedCluster: "+kube.Causes(err)
	}
	for _, w := range p.wirings {
		for key := range w.Configuration {
			at := "spec.configuration." + key
			named := slices.DeleteFunc(slices.Clone(fields), func(f string) bool {
				return f != at && !strings.HasPrefix(f, at+".") && !strings.HasPrefix(f, at+"[")
			})
			if len(named) == 0 {
				continue
			}
			return &options.Error{Field: w.Field, Value: w.Value,
				Detail: strings.Replace(detail, "%s", strings.Join(slices.Compact(named), ", "), 1),
				Next:   hint.Plain(strings.TrimSpace(w.Instead + " a newer multicluster engine may take it"))}
		}
	}
	return nil
}

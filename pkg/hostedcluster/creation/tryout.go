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

// DeniedError means that the API server rejects an object of the cluster because of the CRD's rules, an admission
// webhook or a policy.
type DeniedError struct {
	// Object names the rejected object, such as "HostedCluster clusters/kv-00".
	Object string
	// Err is the error of the API server.
	Err error
}

// Error returns the object and the rule that rejects it.
func (e *DeniedError) Error() string {
	if kube.IsDenied(e.Err) {
		return e.Object + ": " + kube.Explain(e.Err)
	}
	return fmt.Sprintf("%s: this cluster's HyperShift refuses it: %s", e.Object,
		cmp.Or(kube.Causes(e.Err), kube.Explain(e.Err)))
}

// Failure returns Missing if a quota has too little left, as the check of quotas does.
func (e *DeniedError) Failure() failure.Kind {
	if kube.IsOverQuota(e.Err) {
		return failure.Missing
	}
	return failure.Other
}

// Unwrap returns the error of the API server.
func (e *DeniedError) Unwrap() error { return e.Err }

// dryRun sends dry runs of the HostedCluster and the NodePools before anything is written. They show whether the CRDs
// know the fields and what rules, webhooks and policies reject. It records whether the namespace exists, and ignores
// all other errors; the steps report them.
func (p *Plan) dryRun(ctx context.Context) error {
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
			// An older HyperShift: its API server has not validated any value yet.
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

// resolveWirings sets p.wirings to the changes that the services will make in the HostedCluster. It returns the
// existing or the planned HostedCluster.
func (p *Plan) resolveWirings(hc *hyperv1.HostedCluster) (like *hyperv1.HostedCluster, err error) {
	if hc == nil {
		hc = objects.TypedHostedCluster(p.Options, p.Inputs)
	}
	p.wirings, err = services.Wirings(p.Options, hc)
	return hc, err
}

// wiredCluster returns the HostedCluster with the changes of its services.
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

// dryRunWirings checks by a dry run whether the API server accepts the services' changes of an existing HostedCluster.
// It ignores all other errors; the steps report them.
func (p *Plan) dryRunWirings(ctx context.Context, hc *hyperv1.HostedCluster) error {
	for _, w := range p.wirings {
		_, err := hostedcluster.Edit(ctx, p.client, hc.DeepCopy(), map[string]any{
			"spec": map[string]any{"configuration": w.Configuration}}, client.DryRunAll)
		if refused := p.wiringRefused(err); refused != nil {
			return refused
		}
	}
	return nil
}

// wiringRefused returns the API server's refusal of a service's change as an error of the option that requests the
// service; nil if the refusal has another cause.
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

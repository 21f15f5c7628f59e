package creation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/kube"
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

// Unwrap returns the API server's answer.
func (e *DeniedError) Unwrap() error { return e.Err }

// tryOut asks the API server, by dry runs, whether it would take the HostedCluster and the NodePools, before anything
// is written: whether its CRDs know the fields, and what their rules, webhooks and policies say. It notes that a
// namespace is not there yet; all other trouble is left for later.
func (p *Plan) tryOut(ctx context.Context) error {
	tried := []client.Object{objects.HostedCluster(p.Options, p.Inputs)}
	for _, pool := range p.Options.NodePools {
		tried = append(tried, objects.NodePool(p.Options, pool, p.Inputs))
	}
	errs, lacking := make([]error, len(tried)), make([]bool, len(tried))
	try := func(i int) error {
		obj := tried[i]
		kind := obj.GetObjectKind().GroupVersionKind().Kind
		err := p.client.Create(ctx, obj, client.DryRunAll, client.FieldValidation(metav1.FieldValidationStrict))
		unknown, _ := unknownFields(obj, err)
		switch {
		case unknown != nil:
			return unknown
		case apierrors.IsInvalid(err), kube.IsDenied(err):
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
	return errors.Join(errs...)
}

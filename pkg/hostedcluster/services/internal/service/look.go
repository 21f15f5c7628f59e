package service

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// Look reads one object into o and judges it. It returns absent if the object does not exist, and nil if judge returns
// nil. Each finding names the object by kind and key. judge may be nil.
func Look(ctx context.Context, r kube.Reader, kind string, key client.ObjectKey, o client.Object, absent step.Finding,
	judge func() *step.Finding) *step.Finding {
	at := kind + " " + key.Name
	if key.Namespace != "" {
		at = kind + " " + key.String()
	}
	err := r.Get(ctx, key, o)
	var f step.Finding
	switch {
	case apierrors.IsNotFound(err):
		f = absent
	case err != nil:
		f = kube.Unknown(err)
	case judge == nil:
		return nil
	default:
		judged := judge()
		if judged == nil {
			return nil
		}
		f = *judged
	}
	f = f.On("%s", at)
	return &f
}

// Refusal converts a finding about the object of an option into an error of that option, for Service.Refuse. It returns
// nil for Missing, which the service will write, and for Pending. An Unknown finding becomes a plain error.
func Refusal(field, value string, f *step.Finding) error {
	switch {
	case f == nil, f.State == step.StateMissing, f.State == step.StatePending, f.State == step.StateOK:
		return nil
	case f.State == step.StateUnknown:
		return fmt.Errorf("%s cannot be looked at: %s", f.Object, f.Message)
	}
	return &options.Error{Field: field, Value: value, Detail: fmt.Sprintf("%s: %s", f.Object, f.Message), Next: f.Hint}
}

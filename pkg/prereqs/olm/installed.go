package olm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// ErrNotInstalled means the operator is neither subscribed to nor there without a Subscription.
var ErrNotInstalled = errors.New("it is not installed")

// Installed returns the namespace and version of the operator, or ErrNotInstalled.
func (i Installer) Installed(
	ctx context.Context, r kube.Reader) (namespace string, version *semver.Version, err error) {
	sub, err := FindSubscription(ctx, r, i.op)
	if err != nil {
		return "", nil, err
	}
	csv := &olmv1alpha1.ClusterServiceVersion{}
	switch {
	case sub == nil:
		csv, err = unsubscribed(ctx, r, i.op)
	case sub.Status.InstalledCSV == "":
		csv = nil
	default:
		err = r.Get(ctx, types.NamespacedName{Namespace: sub.Namespace, Name: sub.Status.InstalledCSV}, csv)
	}
	switch {
	case err != nil:
		return "", nil, fmt.Errorf("%s: %w", i.op.Title, err)
	case csv == nil:
		return "", nil, fmt.Errorf("%s: %w", i.op.Title, ErrNotInstalled)
	}
	v := csv.Spec.Version.Version
	return csv.Namespace, semver.New(v.Major, v.Minor, v.Patch, "", ""), nil
}

// Home is the namespace of the operator, or the row's where it came by other means than OLM.
func (i Installer) Home(ctx context.Context, r kube.Reader) (string, error) {
	namespace, _, err := i.Installed(ctx, r)
	if errors.Is(err, ErrNotInstalled) {
		return i.op.Namespace, nil
	}
	return namespace, err
}

// OrHealthy turns the finding that an operator is not installed into OK where its work is there and well: it came by
// other means than OLM, and a second one would fight with it. deployments are the names of the operator's own
// Deployment, as far as they are known: without one, the work says what an operator has written that is gone.
func OrHealthy(ctx context.Context, r kube.Reader, f step.Finding, kind kube.Kind,
	judge func([]unstructured.Unstructured) step.Finding, deployments ...string) step.Finding {
	if f.State != step.StateMissing && !WithoutLifecycleManager(f) {
		return f
	}
	list, err := kube.ListStored(ctx, r, kind)
	if err != nil {
		return kube.Unknown(err).On("%ss", kind.Kind)
	}
	if work := judge(list); work.State == step.StateOK {
		if len(deployments) > 0 && !slices.ContainsFunc(deployments, func(name string) bool { return exists(ctx, r, name) }) {
			f.Message += fmt.Sprintf("; %s is there, and its operator is not", work.Object)
			return f
		}
		return step.OK("installed by other means than a Subscription: %s", work.Message).On("%s", work.Object)
	}
	return f
}

// exists reports whether there is a Deployment of that name in any namespace, or whether that cannot be read.
func exists(ctx context.Context, r kube.Reader, name string) bool {
	list := &appsv1.DeploymentList{}
	err := r.List(ctx, list, client.MatchingFields{"metadata.name": name})
	return err != nil || len(list.Items) > 0
}

// WithoutLifecycleManager tells the finding that OLM is not there at all.
func WithoutLifecycleManager(f step.Finding) bool {
	return f.State == step.StateBroken && strings.HasPrefix(f.Message, noLifecycleManager)
}

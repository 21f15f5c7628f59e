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

// ErrNotInstalled means that the operator has neither a Subscription nor a ClusterServiceVersion.
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

// Home returns the namespace of the operator, or the default of its row if OLM did not install it.
func (i Installer) Home(ctx context.Context, r kube.Reader) (string, error) {
	namespace, _, err := i.Installed(ctx, r)
	if errors.Is(err, ErrNotInstalled) {
		return i.op.Namespace, nil
	}
	return namespace, err
}

// OrHealthy turns the finding that an operator is not installed into OK if its objects exist and are healthy: it was
// installed without OLM, and a second one would conflict. deployments are the known names of the operator's Deployment;
// if none exists, the state of the objects is stale and the finding stays.
func OrHealthy(ctx context.Context, r kube.Reader, f step.Finding, kind kube.Kind,
	judge func([]unstructured.Unstructured) step.Finding, deployments ...string) step.Finding {
	if f.State != step.StateMissing && !WithoutLifecycleManager(f) {
		return f
	}
	list, err := kube.ListStored(ctx, r, kind)
	if err != nil {
		return kube.Unknown(err).On("%ss", kind.Kind)
	}
	if state := judge(list); state.State == step.StateOK {
		if len(deployments) > 0 && !slices.ContainsFunc(deployments, func(name string) bool { return exists(ctx, r, name) }) {
			f.Message += fmt.Sprintf("; %s is there, and its operator is not", state.Object)
			return f
		}
		return step.OK("installed by other means than a Subscription: %s", state.Message).On("%s", state.Object)
	}
	return f
}

// exists reports whether a Deployment of that name exists in any namespace. It is true if Deployments cannot be read.
func exists(ctx context.Context, r kube.Reader, name string) bool {
	list := &appsv1.DeploymentList{}
	err := r.List(ctx, list, client.MatchingFields{"metadata.name": name})
	return err != nil || len(list.Items) > 0
}

// WithoutLifecycleManager reports whether the finding says that the cluster has no OLM.
func WithoutLifecycleManager(f step.Finding) bool {
	return f.State == step.StateBroken && strings.HasPrefix(f.Message, noLifecycleManager)
}

package virtualization

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/Masterminds/semver/v3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"

	"github.com/hcctl/hcctl/internal/openshift"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Version is the prerequisite of this file.
const Version step.ID = "virtualization/version"

// Minimum versions that HyperShift 4.15 (multicluster engine 2.5) and later require for hosting on KubeVirt. With older
// ones, a HostedCluster's ValidConfiguration is False.
const (
	minKubeVirt     = "1.0.0"
	minKubernetes   = "1.27.0"
	demandingEngine = 5
)

// virtualizationVersion checks that KubeVirt and Kubernetes are new enough for the HyperShift operator, with the same
// requests as that operator.
type virtualizationVersion struct{}

func (s virtualizationVersion) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Version, Title: "KubeVirt version", Needs: []step.ID{prereq.HyperConverged},
		Check:   s.check,
		Timeout: 5 * time.Minute,
		Rights: prereq.Rights{
			Check: []access.Rule{prereq.ReadVersion(), prereq.ListEngine(), {
				// It is a path, not a kind, and cannot be watched.
				Verbs: "list", Resources: "version.subresources.kubevirt.io", Unwatched: true,
				Why: "KubeVirt's version, asked as HyperShift's operator asks; KubeVirt itself allows it to everybody",
			}},
		},
	}
}

func (s virtualizationVersion) check(ctx context.Context, r kube.Reader) step.Finding {
	const object = "APIService subresources.kubevirt.io"
	virt, err := s.kubeVirt(ctx, r)
	switch {
	case apierrors.IsNotFound(err):
		return step.Pending("KubeVirt's API is not served yet").On(object).RecheckAfter(2 * time.Second)
	case err != nil:
		return kube.Unknown(err).On(object)
	}
	kubernetes, err := r.ServerVersion(ctx)
	if err != nil {
		return kube.Unknown(err).On("API server's version")
	}
	openShift, err := prereq.OpenShift(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("ClusterVersion version")
	}
	mce, err := prereq.Engine(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("MultiClusterEngines")
	}
	demanding := openShift.Major() > 4 || openShift.Minor() >= prereq.SupportedMinor
	if mce != nil {
		demanding = !prereq.EngineBefore(prereq.EngineVersion(mce), demandingEngine)
	}
	list, err := kube.ListStored(ctx, r, kube.HyperConverged)
	if err != nil {
		return kube.Unknown(err).On("HyperConverged %s", hyperConvergedName)
	}
	product := ""
	if len(list) > 0 {
		product = hyperConvergedVersion(&list[0])
	}
	return judgeVirtualizationVersion(virt, kubernetes, product, openShift, demanding).On(object)
}

// kubeVirt reads the version from KubeVirt's own API, such as "v1.6.2". The error is NotFound while the API is not
// registered.
func (s virtualizationVersion) kubeVirt(ctx context.Context, r kube.Reader) (string, error) {
	data, err := r.GetPath(ctx, "/apis/subresources.kubevirt.io")
	if err != nil {
		return "", err
	}
	var group metav1.APIGroup
	if err := json.Unmarshal(data, &group); err != nil {
		return "", fmt.Errorf("/apis/subresources.kubevirt.io: %w", err)
	}
	path := "/apis/" + group.PreferredVersion.GroupVersion + "/version"
	if data, err = r.GetPath(ctx, path); err != nil {
		return "", err
	}
	var info version.Info
	if err := json.Unmarshal(data, &info); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return info.GitVersion, nil
}

// judgeVirtualizationVersion compares the versions with the minimum. demanding reports whether the present or future
// multicluster engine has that requirement. product is the version of HyperConverged or "": OpenShift Virtualization
// has the minor of OpenShift (4.Y), the community 1.Y-4.
func judgeVirtualizationVersion(virt, kubernetes, product string, openShift *semver.Version,
	demanding bool) step.Finding {
	for _, rule := range []struct{ name, has, minimum string }{{"KubeVirt", virt, minKubeVirt},
		{"Kubernetes", kubernetes, minKubernetes}} {
		v, err := semver.NewVersion(rule.has)
		if err != nil {
			return step.Unknown("the version of %s, %q, cannot be read", rule.name, rule.has)
		}
		if released := semver.New(v.Major(), v.Minor(), v.Patch(), "", ""); demanding &&
			released.LessThan(semver.MustParse(rule.minimum)) {
			return step.Broken("%s is %s; multicluster engine 2.%d and later need %s or later", rule.name, rule.has,
				demandingEngine, rule.minimum).
				WithHint("upgrade OpenShift to 4.%d or later and OpenShift Virtualization with it; or use a multicluster engine "+
					"before 2.%d", prereq.SupportedMinor, demandingEngine)
		}
	}
	message := fmt.Sprintf("KubeVirt %s on Kubernetes %s", virt, kubernetes)
	if p, err := semver.NewVersion(product); err == nil && p.Major() >= 4 && openshift.MinorNumber(p.Major(), p.Minor()) !=
		openshift.MinorNumber(openShift.Major(), openShift.Minor()) {
		message += fmt.Sprintf("; OpenShift Virtualization %s is made for OpenShift %d.%d, not for %s: bring it to the "+
			"same minor (oc get subscription.operators.coreos.com,installplan -n openshift-cnv)",
			product, p.Major(), p.Minor(), openShift)
	}
	return step.OK("%s", message)
}

package update

import (
	"fmt"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/management"
	"github.com/hcctl/hcctl/pkg/step"
)

// supportedBehind is how many minor versions a hosted cluster may be behind its management cluster: n-2, as Red Hat
// supports it. HyperShift's operator itself often accepts older ones.
const supportedBehind = 2

// judgeHosted reports the hosted clusters and node pools that the new version would make unsupported.
func (w *snapshot) judgeHosted(r route) []step.Finding {
	const all = "HostedClusters"
	if w.hosted.Err != nil {
		return []step.Finding{management.Unread(all, w.hosted.Err)}
	}
	if len(w.hosted.Items) == 0 {
		return []step.Finding{step.OK("there is none").On("%s", all)}
	}
	var out []step.Finding
	if w.supported.Err != nil {
		out = append(out, management.Unread("ConfigMap hypershift/supported-versions", w.supported.Err))
	}
	if w.pools.Err != nil {
		out = append(out, management.Unread("NodePools", w.pools.Err))
	}
	for i := range w.hosted.Items {
		out = append(out, w.judgeCluster(&w.hosted.Items[i], r)...)
	}
	if len(out) == 0 {
		text := fmt.Sprintf("%s complete", are(len(w.hosted.Items)))
		if r.known {
			text += fmt.Sprintf(", and at most %d minor versions behind OpenShift %s", supportedBehind, r.to.MinorName())
		}
		return []step.Finding{step.OK("%s", text).On("%s", all)}
	}
	return out
}

// judgeCluster judges one hosted cluster and its node pools.
func (w *snapshot) judgeCluster(hc *hyperv1.HostedCluster, r route) []step.Finding {
	object := "HostedCluster " + kube.Name(hc)
	argument := hostedcluster.Argument(hc.Namespace, hc.Name)
	v, ok := hostedcluster.ParseVersion(hostedcluster.ReleaseVersion(hc))
	if !ok {
		return []step.Finding{step.Unknown("it does not report its version yet").On("%s", object).
			WithHint("%s", hint.Run("status", argument))}
	}
	var out []step.Finding
	if !rolledOut(hc) {
		out = append(out, step.Failing("its control plane is on the way to %s", v).On("%s", object).
			WithHint("%s", hint.Run("wait cluster", argument)))
	}
	if len(w.supported.Items) > 0 && !v.MinorIn(w.supported.Items) {
		out = append(out, step.Failing("it runs %s, and HyperShift's operator supports %s", v,
			strings.Join(w.supported.Items, ", ")).On("%s", object).
			WithHint("%s lists where it can go", hint.Run("upgrade cluster", argument)))
	}
	if r.behind(v) {
		out = append(out, step.Failing("it runs %s: OpenShift %s would leave it out of support, which ends %d "+
			"minor versions behind", v, r.to.MinorName(), supportedBehind).On("%s", object).
			WithHint("%s upgrades it, one minor version after the other", hint.Run("upgrade cluster", argument)))
	}
	return append(out, w.judgePools(hc, v, r)...)
}

// rolledOut reports whether the newest version of the history is complete.
func rolledOut(hc *hyperv1.HostedCluster) bool {
	return hc.Status.Version != nil && len(hc.Status.Version.History) > 0 &&
		hc.Status.Version.History[0].State == configv1.CompletedUpdate
}

// judgePools reports node pools that are too far behind their control plane, or will be after its upgrade.
func (w *snapshot) judgePools(hc *hyperv1.HostedCluster, plane hostedcluster.Version, r route) []step.Finding {
	needed := plane
	if r.behind(plane) {
		needed = r.to.AddMinors(-supportedBehind)
	}
	var out []step.Finding
	for i := range w.pools.Items {
		np := &w.pools.Items[i]
		if np.Namespace != hc.Namespace || np.Spec.ClusterName != hc.Name {
			continue
		}
		object := "NodePool " + kube.Name(np)
		upgrade := hint.Run("upgrade nodepool", hostedcluster.Argument(np.Namespace, np.Name))
		v, ok := hostedcluster.ParseVersion(np.Status.Version)
		switch {
		case !ok:
			out = append(out, step.Unknown("it does not report its version yet").On("%s", object).
				WithHint("%s", hint.Run("get nodepools").Flag("cluster-name", hostedcluster.Argument(hc.Namespace, hc.Name))))
		case creation.PoolSkew(v, plane) != "":
			out = append(out, step.Failing("it runs %s, and %s", v, creation.PoolSkew(v, plane)).On("%s", object).
				WithHint("%s", upgrade))
		case needed.MinorNumber()-v.MinorNumber() > creation.MaxSkew:
			out = append(out, step.Failing("it runs %s, and its control plane has to go to %s: a pool may be %d "+
				"minor versions behind at most", v, needed.MinorName(), creation.MaxSkew).On("%s", object).WithHint("%s", upgrade))
		}
	}
	return out
}

package multicluster

import (
	"context"
	"fmt"

	"github.com/Masterminds/semver/v3"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Version is the prerequisite of this file.
const Version step.ID = "multicluster/version"

// multiclusterVersion checks that the version of multicluster engine works on this OpenShift.
type multiclusterVersion struct{}

func (s multiclusterVersion) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Version, Title: "multicluster engine version", Severity: step.Advisory, Needs: []step.ID{Engine},
		Check:  s.check,
		Rights: prereq.Rights{Check: []access.Rule{prereq.ReadVersion(), prereq.ListEngine()}},
	}
}

func (s multiclusterVersion) check(ctx context.Context, r kube.Reader) step.Finding {
	openShift, err := prereq.OpenShift(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("ClusterVersion version")
	}
	mce, err := prereq.Engine(ctx, r)
	switch {
	case err != nil:
		return kube.Unknown(err).On("MultiClusterEngines")
	case mce == nil:
		return *prereq.NothingYet("no multicluster engine is installed yet; OpenShift %d.%d takes %s", openShift.Major(),
			openShift.Minor(), olm.EngineSpanOf(openShift))
	}
	return judgeEngineVersion(prereq.EngineVersion(mce), openShift).On("MultiClusterEngine %s", mce.GetName())
}

func judgeEngineVersion(version, openShift *semver.Version) step.Finding {
	fit, span := olm.MulticlusterEngine().Fit(version, openShift)
	short := fmt.Sprintf("OpenShift %d.%d", openShift.Major(), openShift.Minor())
	switch {
	case version.Major() == 0:
		return step.Unknown("it does not report its version yet; %s takes %s", short, span)
	case fit == olm.TooOld:
		return step.Missing("multicluster engine %s is too old for %s, which takes %s", version, short, span).
			WithHint("change the channel of its Subscription (or ClusterExtension), one minor version after the other; with " +
				"Advanced Cluster Management, that of its own")
	case fit == olm.TooNew:
		return step.Missing("multicluster engine %s is too new for %s, which takes %s", version, short, span).
			WithHint("upgrade OpenShift; multicluster engine cannot be downgraded")
	}
	return step.OK("multicluster engine %s is of those that work on %s (%s)", version, short, span)
}

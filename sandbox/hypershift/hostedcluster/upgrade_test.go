package hostedcluster

import (
	"testing"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

func runningCluster(version string) *hyperv1.HostedCluster {
	image := release.Repository + ":" + version + "-multi"
	hc := &hyperv1.HostedCluster{}
	hc.Spec.Release.Image = image
	hc.Status.Version = &hyperv1.ClusterVersionStatus{
		Desired: configv1.Release{Image: image, Version: version},
		History: []configv1.UpdateHistory{{State: configv1.CompletedUpdate, Image: image, Version: version}},
	}
	return hc
}

func TestUpgradeGate(t *testing.T) {
	const want = release.Repository + ":4.20.3-multi"
	for name, tc := range map[string]struct {
		from, to    string
		upgradeable metav1.ConditionStatus
		force       string
		upgrading   bool
		refused     string
	}{
		"same image":         {from: "4.20.3", to: "4.20.3", upgradeable: metav1.ConditionFalse},
		"minor, upgradeable": {from: "4.19.9", to: "4.20.3", upgradeable: metav1.ConditionTrue, upgrading: true},
		"minor, nobody said": {from: "4.19.9", to: "4.20.3", upgrading: true},
		"minor, not upgradeable": {from: "4.19.9", to: "4.20.3", upgradeable: metav1.ConditionFalse, upgrading: true,
			refused: msgNotUpgradeable},
		"patch, not upgradeable": {from: "4.20.1", to: "4.20.3", upgradeable: metav1.ConditionFalse, upgrading: true},
		"forced": {from: "4.19.9", to: "4.20.3", upgradeable: metav1.ConditionFalse, force: want,
			upgrading: true},
		"forced to another image": {from: "4.19.9", to: "4.20.3", upgradeable: metav1.ConditionFalse, force: "x",
			upgrading: true, refused: msgForcedElsewhere},
		"force annotation not needed": {from: "4.19.9", to: "4.20.3", upgradeable: metav1.ConditionTrue, force: "x",
			upgrading: true},
	} {
		t.Run(name, func(t *testing.T) {
			hc := runningCluster(tc.from)
			hc.Spec.Release.Image = release.Repository + ":" + tc.to + "-multi"
			if tc.upgradeable != "" {
				status.Set(&hc.Status.Conditions, 1, status.Condition{Kind: string(hyperv1.ClusterVersionUpgradeable),
					Status: tc.upgradeable, Reason: "X", Message: ""})
			}
			if tc.force != "" {
				hc.Annotations = map[string]string{hyperv1.ForceUpgradeToAnnotation: tc.force}
			}
			got, err := upgrading(hc, release.Payload{Version: tc.to})
			message := ""
			if err != nil {
				message = err.Error()
			}
			if got != tc.upgrading || message != tc.refused {
				t.Errorf("upgrading %v, refused %q", got, message)
			}
			p := progressing(hc, releaseGate{release: release.Payload{Version: tc.to}})
			switch {
			case tc.refused != "":
				if p.Status != metav1.ConditionFalse || p.Reason != hyperv1.BlockedReason ||
					p.Message != "ClusterVersionUpgradeable condition is false: "+tc.refused {
					t.Errorf("Progressing is %+v", p)
				}
			case (p.Status == metav1.ConditionTrue) != tc.upgrading:
				t.Errorf("Progressing is %+v", p)
			}
		})
	}
}

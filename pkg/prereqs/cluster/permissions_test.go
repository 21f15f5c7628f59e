package cluster

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestJudgePermissions(t *testing.T) {
	prereqtest.Expect(t, judgePermissions(nil), step.StateOK, "all that")
	f := judgePermissions([]kube.Access{kube.AccessTo("create", "namespaces"),
		kube.AccessTo("create patch", "metallbs.metallb.io"), kube.AccessTo("create", "secrets").In("clusters")})
	prereqtest.Expect(t, f, step.StateMissing, "you may not create namespaces, secrets in clusters; create, patch "+
		"metallbs.metallb.io")
}

package cluster

import (
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// OperatorUpdates is the prerequisite of this file.
const OperatorUpdates step.ID = "cluster/operator-updates"

// operatorUpdates checks that the installed operators can be updated.
func operatorUpdates() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: OperatorUpdates, Title: "operator updates", Severity: step.Advisory,
		Check:  olm.Updates,
		Rights: prereq.Rights{Check: olm.RightsUpdates()},
	}
}

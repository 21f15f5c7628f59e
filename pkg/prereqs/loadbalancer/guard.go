package loadbalancer

import "github.com/hcctl/hcctl/pkg/prereqs/prereq"

// GuardRanges makes addresses a user gave, and that cannot be given out, stop a run before it has written anything.
func GuardRanges(all []prereq.Prerequisite, o Validated) {
	if len(o.MetalLBRanges) == 0 || o.Mode != "" && o.Mode != ModeMetalLB {
		return
	}
	for i := range all {
		if all[i].Apply != nil {
			all[i].Needs = append(all[i].Needs[:len(all[i].Needs):len(all[i].Needs)], Overlap)
		}
	}
}

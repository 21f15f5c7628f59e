package loadbalancer

import "github.com/hcctl/hcctl/pkg/prereqs/prereq"

// GuardRanges stops a run before it writes anything, if the user gave addresses that cannot be assigned.
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

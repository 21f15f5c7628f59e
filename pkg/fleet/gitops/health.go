package gitops

import (
	"embed"
	"slices"
)

//go:embed health/*.lua
var healthScripts embed.FS

// HealthCheck is a health check of Argo CD for one kind, in Lua.
type HealthCheck struct{ Group, Kind, Lua string }

// HealthChecks returns the health checks for HostedCluster, NodePool and the kinds of virtualization. Their
// conditions are those of the operators (contracts/hypershift.yaml, contracts/hyperconverged.yaml).
func HealthChecks() []HealthCheck {
	all := []HealthCheck{
		{Group: "hypershift.openshift.io", Kind: "HostedCluster"},
		{Group: "hypershift.openshift.io", Kind: "NodePool"},
		{Group: "hco.kubevirt.io", Kind: "HyperConverged"},
		{Group: "operators.coreos.com", Kind: "Subscription"},
	}
	for i := range all {
		all[i].Lua = embedded(healthScripts, "health/"+all[i].Kind+".lua")
	}
	return slices.Clip(all)
}

// embedded returns a file of the program.
func embedded(files embed.FS, path string) string {
	data, err := files.ReadFile(path)
	if err != nil {
		panic("hcctl lacks a file of its own: " + err.Error())
	}
	return string(data)
}

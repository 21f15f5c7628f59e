package update

import (
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// Fields lists the options of a HostedCluster that can be changed after creation.
func Fields() []options.Field { return option.Updatable(options.Fields()) }

// Refusal returns why update cluster does not have a flag of create cluster, and how else to change it. ok is false for
// an unknown flag, or one that update cluster has.
func Refusal(flag string) (why string, way hint.Text, ok bool) {
	return refusal(options.Fields(), options.NodePoolFields(), flag)
}

func refusal(cluster, pool []options.Field, flag string) (why string, way hint.Text, ok bool) {
	for _, f := range cluster {
		if f.Flag == flag {
			why, way = f.Refusal()
			return why, way, why != ""
		}
	}
	for _, f := range pool {
		if f.Flag != "" && (f.Flag == flag || options.ClusterFlag(f.Flag) == flag) {
			if why, way = f.Refusal(); why == "" {
				why, way = "it belongs to a node pool", hint.Run("update nodepool", "POOL").Flag(f.Flag).Text()
			}
			return why, way, true
		}
	}
	return "", hint.Text{}, false
}

package create

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// clusterFile reads the Cluster document of --file; "-" is standard input.
func clusterFile(a *cmdutil.Factory, path string) (*config.Cluster, error) {
	data, err := a.Files.File("--file", path)
	if err != nil {
		return nil, err
	}
	if path == "-" {
		return config.ParseCluster("standard input", ".", data)
	}
	return config.ParseCluster(path, filepath.Dir(path), data)
}

// overlayCluster overrides the options of a file by the given flags. Flags of a pool apply to the only pool of
// the file.
func overlayCluster(file *config.Cluster, flags options.Cluster, given *pflag.FlagSet) (options.Cluster, error) {
	o := file.Options
	o.NodePools = slices.Clone(o.NodePools)
	o.Wait, o.StableFor = flags.Wait, flags.StableFor
	if given.Changed("name") {
		o.Name = flags.Name
	}
	option.Overlay(cmdutil.GivenFields(options.Fields(), given, cmdutil.AsGiven), &flags, &o)
	ofPool := cmdutil.GivenFields(options.FirstPoolFields(), given, options.ClusterFlag)
	if len(ofPool) > 0 && len(o.NodePools) > 1 {
		return o, cmdutil.WithHint(fmt.Errorf("--%s: which pool? the file has %d of them",
			options.ClusterFlag(ofPool[0].Flag), len(o.NodePools)),
			"flags of a pool lie over its only one; change the file instead: %s", file.Where())
	}
	option.Overlay(ofPool, flags.Pool(), o.Pool())
	return o, nil
}

// SaveConfig writes a Cluster document with these options to path, a file that must not exist, or to Out if path
// is "-".
func SaveConfig(a *cmdutil.Factory, path string, o options.Cluster) error {
	directory := "."
	if path != "-" {
		directory = filepath.Dir(path)
	}
	data, err := config.WriteCluster(o, directory)
	if err != nil {
		return err
	}
	if path == "-" {
		return a.Streams.Document(data)
	}
	if err := cmdutil.WriteNew(path, data); err != nil {
		return fmt.Errorf("--save-config: %w", err)
	}
	next := hint.Run("create cluster").Flag("f", path)
	for _, beside := range cmdutil.DirectoriesBeside(&o, directory) {
		next = next.Flag("allow-files-from", beside)
	}
	cmdutil.Tell(a.Streams.Err, "Wrote %s. Next: %s\n", path, next)
	return nil
}

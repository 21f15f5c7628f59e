package create

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// clusterFile reads the Cluster document that --file names, "-" being standard input.
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

// overlayCluster puts the options whose flags were given over those of a file. Flags of a pool are for its only one.
func overlayCluster(file *config.Cluster, flags options.Cluster, given *pflag.FlagSet) (options.Cluster, error) {
	o := file.Options
	o.NodePools = slices.Clone(o.NodePools)
	o.Wait = flags.Wait
	if given.Changed("name") {
		o.Name = flags.Name
	}
	overlayFields(&o, &flags, options.Fields(), cmdutil.AsGiven, given)
	if name := changedField(options.FirstPoolFields(), given); name != "" && len(o.NodePools) > 1 {
		return o, cmdutil.WithHint(fmt.Errorf("--%s: which pool? the file has %d of them", name, len(o.NodePools)),
			"flags of a pool lie over its only one; change the file instead: "+file.Where())
	}
	overlayFields(o.Pool(), flags.Pool(), options.FirstPoolFields(), options.ClusterFlag, given)
	return o, nil
}

// overlayFields sets what the flags that were given say: both are pointers to the same struct.
func overlayFields(over, flags any, fields []options.Field, named func(string) string, given *pflag.FlagSet) {
	to, from := reflect.ValueOf(over).Elem(), reflect.ValueOf(flags).Elem()
	for _, field := range fields {
		if field.Flag != "" && given.Changed(named(field.Flag)) {
			cmdutil.OptionAt(to, field.Name).Set(cmdutil.OptionAt(from, field.Name))
		}
	}
}

// changedField is the first flag of a pool that was given; empty if none was.
func changedField(fields []options.Field, given *pflag.FlagSet) string {
	for _, field := range fields {
		if name := options.ClusterFlag(field.Flag); field.Flag != "" && given.Changed(name) {
			return name
		}
	}
	return ""
}

// SaveConfig writes the Cluster document that says the same as the options to path, a file that must not be there yet,
// or to Out.
func SaveConfig(a *cmdutil.Factory, path string, o options.Cluster) error {
	folder := "."
	if path != "-" {
		folder = filepath.Dir(path)
	}
	data, err := config.WriteCluster(o, folder)
	if err != nil {
		return err
	}
	if path == "-" {
		return a.Streams.Document(data)
	}
	if err := cmdutil.WriteNew(path, data); err != nil {
		return fmt.Errorf("--save-config: %w", err)
	}
	next := "hcctl create cluster -f " + path
	for _, beside := range cmdutil.FoldersBeside(&o, folder) {
		next += " --allow-files-from " + beside
	}
	cmdutil.Tell(a.Streams.Err, "Wrote %s. Next: %s\n", path, next)
	return nil
}

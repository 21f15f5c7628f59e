package cmdutil

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// clusterFiles reads the clusters of several files in the environment env; "" if the files have no environments.
// A directory means its .yaml and .yml files, "-" means standard input, and a duplicate cluster is an error.
func clusterFiles(f *Files, paths []string, env string) ([]*config.Cluster, error) {
	var all []*config.Cluster
	for _, path := range paths {
		names, err := FilesOf(path)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			data, err := f.File("--file", name)
			if err != nil {
				return nil, err
			}
			title, directory := "standard input", "."
			if name != "-" {
				title, directory = name, filepath.Dir(name)
			}
			clusters, err := config.ParseClusters(title, directory, data, env)
			if err != nil {
				return nil, err
			}
			all = append(all, clusters...)
		}
	}
	return all, config.Distinct(all)
}

// Environments returns the names of the environments in the files, sorted.
func Environments(f *Files, paths []string) ([]string, error) {
	var all []string
	for _, path := range paths {
		names, err := FilesOf(path)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if name == "-" {
				return nil, errors.New("--file -: with --render give a file, which is read once for each environment; or choose " +
					"one with --env")
			}
			data, err := f.File("--file", name)
			if err != nil {
				return nil, err
			}
			found, err := config.Environments(name, data)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// FilesOf returns the files of a path, sorted by name.
func FilesOf(path string) ([]string, error) {
	if info, err := os.Stat(path); path == "-" || err != nil || !info.IsDir() {
		return []string{path}, nil //nolint:nilerr // the read of the file reports the error
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("--file: %w", err)
	}
	var names []string
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); !e.IsDir() && (ext == ".yaml" || ext == ".yml") {
			names = append(names, filepath.Join(path, e.Name()))
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("--file %s: the directory has no .yaml file", path)
	}
	return names, nil
}

// WantedClusters reads and validates the clusters of the files in the environment env; "" if the files have no
// environments. The namespace of the command line overrides the namespaces of the files.
func (f *Files) WantedClusters(paths []string, env string) ([]*config.Cluster, error) {
	if len(paths) == 0 {
		return nil, errors.New("--file: which file? - is standard input")
	}
	clusters, err := clusterFiles(f, paths, env)
	if err != nil {
		return nil, err
	}
	if len(clusters) > 0 {
		f.call.FromFile = clusters[0].Options.Namespace
	}
	if ns := f.call.KubeFlags.Overrides.Context.Namespace; ns != "" {
		for _, c := range clusters {
			c.Options.Namespace = ns
		}
		if err := config.Distinct(clusters); err != nil {
			return nil, err
		}
	}
	return clusters, nil
}

// Few joins the first names and counts the rest.
func Few(names []string) string { return plural.Few(names, 8) }

// ReadClusters reads the files that the clusters name, and parses the options of each. The error lists every
// problem that can be found without the management cluster.
func ReadClusters(f *Files, clusters []*config.Cluster) ([]options.Validated, error) {
	var all []options.Validated
	var errs []error
	for _, c := range clusters {
		if err := ReadOptions(f, &c.Options); err != nil {
			errs = append(errs, BlameFile(err, c, nil))
			continue
		}
		valid, err := c.Options.Validate()
		all, errs = append(all, valid), append(errs, BlameFile(err, c, nil))
	}
	return all, errors.Join(distinct(errs)...)
}

// ReadOptions reads the files that the options name.
func ReadOptions(f *Files, o *options.Cluster) error {
	o.AllowKinds = f.AllowKinds
	if err := f.ReadFields(options.Fields(), o, nil); err != nil {
		return err
	}
	for i := range o.NodePools {
		if err := f.ReadFields(options.NodePoolFields(), &o.NodePools[i], &i); err != nil {
			return err
		}
	}
	return nil
}

// distinct removes duplicate errors, such as those of a line that many clusters share.
func distinct(errs []error) []error {
	seen := map[string]bool{}
	return slices.DeleteFunc(errs, func(err error) bool {
		if err == nil || seen[err.Error()] {
			return true
		}
		seen[err.Error()] = true
		return false
	})
}

// BlameFile adds the line in the file to each problem that does not come from a given flag.
func BlameFile(err error, file *config.Cluster, given *pflag.FlagSet) error {
	if joined, many := err.(interface{ Unwrap() []error }); many {
		var errs []error
		for _, one := range joined.Unwrap() {
			errs = append(errs, BlameFile(one, file, given))
		}
		return errors.Join(errs...)
	}
	var problem *options.Error
	if file == nil || !errors.As(err, &problem) {
		return err
	}
	if given != nil && given.Changed(options.FlagOf(problem)) {
		return err
	}
	if located := file.Locate(problem); located != nil {
		return located
	}
	return err
}

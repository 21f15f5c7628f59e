package cmdutil

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// clusterFiles reads the clusters of several files. A folder stands for the .yaml and .yml files right in it; "-" is
// standard input. Clusters of the same name and namespace are an error, whichever files they are from.
func (a *Factory) clusterFiles(paths []string) ([]*config.Cluster, error) {
	var all []*config.Cluster
	for _, path := range paths {
		names, err := filesOf(path)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			data, err := a.File("--file", name)
			if err != nil {
				return nil, err
			}
			title, folder := "standard input", "."
			if name != "-" {
				title, folder = name, filepath.Dir(name)
			}
			clusters, err := config.ParseClusters(title, folder, data)
			if err != nil {
				return nil, err
			}
			all = append(all, clusters...)
		}
	}
	return all, config.Distinct(all)
}

// filesOf are the files that a path stands for, in the order of their names.
func filesOf(path string) ([]string, error) {
	if info, err := os.Stat(path); path == "-" || err != nil || !info.IsDir() {
		return []string{path}, nil //nolint:nilerr // reading it says what is wrong
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
		return nil, fmt.Errorf("--file %s: the folder has no .yaml file", path)
	}
	return names, nil
}

// WantedClusters are the clusters of the files with all they name read, and valid. The namespace of the command line
// lies over theirs.
func (a *Factory) WantedClusters(paths []string) ([]*config.Cluster, error) {
	if len(paths) == 0 {
		return nil, errors.New("--file: which file? - is standard input")
	}
	clusters, err := a.clusterFiles(paths)
	if err != nil {
		return nil, err
	}
	if len(clusters) > 0 {
		a.FromFile = clusters[0].Options.Namespace
	}
	if ns := a.KubeFlags.Overrides.Context.Namespace; ns != "" {
		for _, c := range clusters {
			c.Options.Namespace = ns
		}
		if err := config.Distinct(clusters); err != nil {
			return nil, err
		}
	}
	return clusters, nil
}

// Few names the first of many, and how many there are.
func Few(names []string) string {
	const most = 8
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(slices.Clone(names[:most]), ", "), len(names)-most)
}

// ReadClusters reads the files that the clusters name, and finds every problem that needs no management cluster to be
// known.
func ReadClusters(a *Factory, clusters []*config.Cluster) error {
	var errs []error
	for _, c := range clusters {
		if err := ReadOptions(a, &c.Options); err != nil {
			errs = append(errs, BlameFile(err, c, nil))
			continue
		}
		errs = append(errs, BlameFile(c.Options.Validate(), c, nil))
	}
	return errors.Join(distinct(errs)...)
}

// ReadOptions brings the files that are named into the options.
func ReadOptions(a *Factory, o *options.Cluster) error {
	if err := a.ReadFields(options.Fields(), o, nil); err != nil {
		return err
	}
	for i := range o.NodePools {
		if err := a.ReadFields(options.NodePoolFields(), &o.NodePools[i], &i); err != nil {
			return err
		}
	}
	return nil
}

// distinct leaves out errors that read the same, such as those of a line that many clusters share.
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

// Package rendering makes the objects of the clusters in files, for commands that write them to a directory.
package rendering

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/kube"
)

// Environment holds the objects of all clusters of one environment.
type Environment struct {
	// Name is empty if the files have no environments.
	Name    string
	Objects []*unstructured.Unstructured
	// Secrets are the Secrets that were left out, as "namespace/name".
	Secrets []string
}

// Environments renders each environment of the files, or only the named one. It contacts no server. An error
// names the line of the file with the invalid value.
func Environments(a *cmdutil.Factory, files []string, only string) ([]Environment, error) {
	names := []string{only}
	if only == "" {
		found, err := cmdutil.Environments(a.Files, files)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			names = found
		}
	}
	all := make([]Environment, 0, len(names))
	for _, name := range names {
		objects, secrets, err := render(a, files, name)
		if err != nil {
			return nil, err
		}
		all = append(all, Environment{name, objects, secrets})
	}
	return all, nil
}

// render returns the objects of all clusters of an environment, and the names of the Secrets that were left out.
// An error names the line of the file with the invalid value.
func render(a *cmdutil.Factory, paths []string, env string) ([]*unstructured.Unstructured, []string, error) {
	clusters, err := a.Files.WantedClusters(paths, env)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range clusters {
		FixInfraID(c)
	}
	valid, err := cmdutil.ReadClusters(a.Files, clusters)
	if err != nil {
		return nil, nil, err
	}
	var all []*unstructured.Unstructured
	var secrets []string
	var errs []error
	seen := map[string]bool{}
	for i, o := range valid {
		rendered, err := creation.Render(o, false)
		if err != nil {
			errs = append(errs, cmdutil.BlameFile(err, clusters[i], nil))
			continue
		}
		secrets = append(secrets, rendered.LeftOut...)
		for _, object := range rendered.Objects {
			content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", kube.Name(object), err)
			}
			u := &unstructured.Unstructured{Object: content}
			delete(u.Object, "status")
			unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
			if u.GetKind() == "Namespace" {
				if delete(u.Object, "spec"); seen[u.GetName()] {
					continue // several clusters share it
				}
				seen[u.GetName()] = true
			}
			all = append(all, u)
		}
	}
	return all, secrets, errors.Join(errs...)
}

// FixInfraID sets an InfraID that depends only on namespace and name, so that rendering again changes nothing.
func FixInfraID(c *config.Cluster) {
	if c.Options.InfraID == "" {
		c.Options.InfraID = creation.FixedInfraID(c.Options.Namespace, c.Options.Name)
	}
}

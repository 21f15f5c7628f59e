// Command sync reads CustomResourceDefinitions from the Go modules that ship them and writes them as JSON to
// crds/generated/<set>/<name>.json, which package crds embeds. To crds/generated/schemas it writes the fields that
// directory contracts has, by release. They are never committed. Run it in the sandbox directory: go run ./crds/sync
//
// With -real DIR it writes those that the vendor's own HyperShift needs to DIR/<name>.json instead.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "crds/sync:", err)
		os.Exit(1)
	}
}

func run() error {
	vendors := flag.String("real", "", "write the CRDs of the vendor's own HyperShift to this `directory`, and no others")
	flag.Parse()
	if _, err := os.Stat(filepath.Join("crds", "sync", "main.go")); err != nil {
		return fmt.Errorf("run it in the sandbox directory: %w", err)
	}
	if *vendors != "" {
		return write(realSources, *vendors, filepath.Join(*vendors, "*.json"))
	}
	target := filepath.Join("crds", "generated")
	if err := write(sources, target, filepath.Join(target, "*", "*.json")); err != nil {
		return err
	}
	return writeSchemas(filepath.Join(target, "schemas"))
}

// write writes the CRDs of all sources, and removes those among old that none has.
func write(sources []source, target, old string) error {
	written := map[string]bool{}
	for _, s := range sources {
		dir, err := s.module.dir()
		if err != nil {
			return err
		}
		for _, pattern := range s.files {
			files, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil {
				return fmt.Errorf("pattern %s: %w", pattern, err)
			}
			if len(files) == 0 {
				return fmt.Errorf("module %s has no file %s: has its layout changed?", s.module.path, pattern)
			}
			for _, file := range files {
				path, err := convert(file, filepath.Join(target, s.set), s.labels)
				if err != nil {
					return fmt.Errorf("%s: %w", file, err)
				}
				if written[path] {
					return fmt.Errorf("%s comes from two files, the second is %s", path, file)
				}
				written[path] = true
			}
		}
	}
	if err := prune(target, old, written); err != nil {
		return err
	}
	fmt.Printf("%d CRDs in %s\n", len(written), target)
	return nil
}

// writeSchemas runs the program of hcctl's module that makes schemas of the tables in directory contracts. The sandbox
// does not import that module: its dependencies would then follow hcctl's, and all of Kubernetes be compiled again
// with each.
func writeSchemas(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	_, err = goTool("..", "run", "./hack/crds", "-out", dir)
	return err
}

// convert writes the CRD in file to directory dir, with more labels, and returns the path of the new file.
func convert(file, dir string, labels map[string]string) (string, error) {
	raw, err := os.ReadFile(file) // #nosec G304 -- a file of the module cache
	if err != nil {
		return "", err
	}
	var crd map[string]any
	if err := yaml.Unmarshal(raw, &crd); err != nil {
		return "", err
	}
	meta, ok := crd["metadata"].(map[string]any)
	if !ok || crd["kind"] != "CustomResourceDefinition" {
		return "", fmt.Errorf("not a CustomResourceDefinition")
	}
	name, ok := meta["name"].(string)
	if !ok {
		return "", fmt.Errorf("metadata.name is missing")
	}
	if annotations, ok := meta["annotations"].(map[string]any); ok {
		// hypershift/api's manifests have a feature gate without a name, which the API server refuses.
		delete(annotations, "feature-gate.release.openshift.io/")
	}
	for k, v := range labels {
		if err := unstructured.SetNestedField(crd, v, "metadata", "labels", k); err != nil {
			return "", err
		}
	}
	delete(crd, "status")
	if err := dropDescriptions(crd); err != nil {
		return "", err
	}
	out, err := json.Marshal(crd)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return "", err
	}
	path := filepath.Join(dir, name+".json")
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, out) { // #nosec G304 -- our own output
		return path, nil
	}
	return path, os.WriteFile(path, out, 0o600)
}

// prune removes CRDs that no source has now.
func prune(target, pattern string, written map[string]bool) error {
	old, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	for _, path := range slices.DeleteFunc(old, func(p string) bool { return written[p] }) {
		if err := os.Remove(path); err != nil {
			return err
		}
		if strings.HasPrefix(filepath.Dir(path), target) {
			_ = os.Remove(filepath.Dir(path)) // removes the directory if it is empty
		}
	}
	return nil
}

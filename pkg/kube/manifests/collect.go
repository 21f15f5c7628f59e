package manifests

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/document"
	"github.com/hcctl/hcctl/internal/safefile"
)

// The limits of Collect and Parse.
const (
	maxBytes       = 16 << 20
	maxFiles       = 1000
	maxObjects     = 2000
	maxDirectories = 20
)

// File is the content of a manifest file.
type File struct {
	// Name identifies the file in errors, such as "cni/operator.yaml".
	Name string
	Data []byte
}

// Parse reads the documents of several files and returns the objects in the order of application: CRDs and namespaces
// first, then access, configuration, workloads and webhooks, and kinds outside of Kubernetes and OpenShift last. Each
// document must be a whole object, and no object may occur twice; errors name the file and the document.
func Parse(files ...File) (List, error) {
	var all List
	for _, file := range files {
		found, err := readDocuments(file.Name, file.Data)
		if err != nil {
			return nil, err
		}
		if all = append(all, found...); len(all) > maxObjects {
			return nil, fmt.Errorf("there are more than %d objects", maxObjects)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("there is no object in it")
	}
	if err := all.order(rankForeign); err != nil {
		return nil, err
	}
	return all, nil
}

// Collect reads the manifests of a directory: the local files and directories in its kustomization.yaml, or else every
// .yaml, .yml and .json file in it and below. Errors are a kustomization with anything but local resources, more than
// 16 MiB or 1000 files, and a file outside of the tree.
func Collect(dir string, tree safefile.Tree) ([]File, error) {
	c := &collector{tree: tree}
	if err := c.directory(dir, 0); err != nil {
		return nil, err
	}
	if len(c.files) == 0 {
		return nil, fmt.Errorf("%s has no manifests (files that end in .yaml, .yml or .json)", dir)
	}
	return c.files, nil
}

type collector struct {
	tree  safefile.Tree
	files []File
	bytes int
}

// kustomizationNames returns the file names that kustomize looks for.
func kustomizationNames() []string {
	return []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}
}

func (c *collector) directory(dir string, depth int) error {
	if depth > maxDirectories {
		return fmt.Errorf("%s: kustomizations list each other more than %d deep", dir, maxDirectories)
	}
	for _, name := range kustomizationNames() {
		path := filepath.Join(dir, name)
		if _, err := c.tree.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return c.kustomization(path, depth)
		}
	}
	if depth > 0 {
		return fmt.Errorf("%s is listed as a resource, but has no kustomization.yaml", dir)
	}
	return c.tree.Walk(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isManifest(path) {
			return err
		}
		if slices.Contains(kustomizationNames(), entry.Name()) {
			return fmt.Errorf("%s is below a directory that has no kustomization.yaml itself: give its directory, or run "+
				"kustomize build and give what it prints", path)
		}
		return c.file(path)
	})
}

// kustomization reads the files that a kustomization lists.
func (c *collector) kustomization(path string, depth int) error {
	data, err := c.tree.Read(path, maxBytes)
	if err != nil {
		return err
	}
	fields := map[string]any{}
	doc, err := document.One(data, "a kustomization")
	if err == nil {
		err = doc.Loose(&fields)
	}
	if err != nil {
		return fmt.Errorf("%s, %w", path, err)
	}
	const instead = "run kustomize build %s, and give the file with what it prints"
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains([]string{"apiVersion", "kind", "metadata", "resources"}, field) {
			return fmt.Errorf("%s has %s, and hcctl takes only kustomizations that list local resources: "+instead, path,
				field, filepath.Dir(path))
		}
	}
	list, _ := fields["resources"].([]any)
	for i, item := range list {
		name, ok := item.(string)
		if !ok || name == "" {
			return fmt.Errorf("%s: resources[%d] is not a path", path, i)
		}
		at := filepath.Join(filepath.Dir(path), name)
		info, err := c.tree.Stat(at)
		switch {
		case filepath.IsAbs(name), err != nil && (strings.Contains(name, "://") || strings.Contains(name, "?ref=")):
			return fmt.Errorf("%s: resources[%d] %q is not a local path: "+instead, path, i, name, filepath.Dir(path))
		case err != nil:
			return fmt.Errorf("%s: resources[%d]: %w", path, i, err)
		case info.IsDir():
			err = c.directory(at, depth+1)
		default:
			err = c.file(at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *collector) file(path string) error {
	data, err := c.tree.Read(path, maxBytes)
	if err != nil {
		return err
	}
	if c.bytes += len(data); c.bytes > maxBytes {
		return fmt.Errorf("there are more than %d MiB of manifests", maxBytes>>20)
	}
	if c.files = append(c.files, File{Name: path, Data: data}); len(c.files) > maxFiles {
		return fmt.Errorf("there are more than %d files of manifests", maxFiles)
	}
	return nil
}

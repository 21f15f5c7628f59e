package e2e

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// directoryTime is the time for each manifest, because the operator that brings its kind is being installed.
const directoryTime = 90 * time.Second

// applyDirectoryCommand: applydirectory DIR
//
// does what GitOps does with a directory of manifests: applies each that its kustomization.yaml lists, in that order,
// again and again until the API server takes it, and then each merge patch in patches/.
func applyDirectoryCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: applydirectory DIR")
	}
	dir := ts.MkAbs(args[0])
	var kustomization struct{ Resources []string }
	data, err := os.ReadFile(filepath.Join(dir, "kustomization.yaml"))
	ts.Check(err)
	ts.Check(yaml.UnmarshalStrict(data, &struct {
		APIVersion, Kind string
		SortOptions      map[string]string
		Resources        *[]string
	}{Resources: &kustomization.Resources}))
	c := clusterOf(ts)
	for _, name := range kustomization.Resources {
		data, err := os.ReadFile(filepath.Join(dir, name))
		ts.Check(err)
		ts.Check(persist(name, func() error { return c.apply(data) }))
	}
	patches, err := filepath.Glob(filepath.Join(dir, "patches", "*.yaml"))
	ts.Check(err)
	slices.Sort(patches)
	for _, path := range patches {
		data, err := os.ReadFile(path)
		ts.Check(err)
		ts.Check(persist(path, func() error { return c.mergeFile(data) }))
	}
	ts.Check(filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err == nil && strings.HasSuffix(name, ".yaml") && filepath.Dir(name) == "." && name != "kustomization.yaml" &&
			!slices.Contains(kustomization.Resources, name) {
			err = fmt.Errorf("%s is not in kustomization.yaml", name)
		}
		return err
	}))
}

// persist tries until it goes well, and fails with the last error once directoryTime is over.
func persist(what string, try func() error) error {
	ctx, cancel := context.WithTimeout(context.Background(), directoryTime)
	defer cancel()
	tick := time.NewTicker(awaitPause)
	defer tick.Stop()
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%s: still refused after %s: %w", what, directoryTime, err)
		}
	}
}

// mergeFile applies a file as a merge patch to the object it names.
func (c *cluster) mergeFile(data []byte) error {
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(data, &u.Object); err != nil {
		return err
	}
	patch, err := u.MarshalJSON()
	if err != nil {
		return err
	}
	plural := strings.ToLower(u.GetKind()) + "s." + u.GroupVersionKind().Group
	r, name, err := c.one(plural, strings.TrimPrefix(u.GetNamespace()+"/"+u.GetName(), "/"))
	if err != nil {
		return err
	}
	ctx, cancel := requestContext()
	defer cancel()
	_, err = r.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "hcctl-e2e"})
	return err
}

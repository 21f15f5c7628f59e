// Package container plays the containers of a sandbox in which somebody runs commands: a shell with a few programs, and
// files in directories of this machine. Only etcd's containers have programs of their own, which work on the real data
// of a hosted cluster. Everything else is 127, command not found.
package container

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/cluster/etcd"
)

// Host has the files of all containers.
type Host struct {
	// Dir is the directory of the files.
	Dir    string
	Client client.Client
	// Etcd has the data of the hosted clusters, each below GuestPrefix.
	Etcd *etcd.Store
	// APIServerRuns reports whether the API server of a control plane namespace runs.
	APIServerRuns func(namespace string) bool
	// LogFile is where a temporary etcd logs.
	LogFile string
}

// GuestPrefix is the prefix of a hosted cluster's keys in the sandbox's etcd, for the namespace of its control plane.
func GuestPrefix(namespace string) string { return "/guest-" + namespace }

// files maps paths of one container to this machine: volume claims have a directory each, which lasts as long as the
// claim; all other files go with the pod.
type files struct {
	root   string
	mounts map[string]string // by path in the container
}

// filesOf makes the directories of a container.
func (h *Host) filesOf(ctx context.Context, pod *corev1.Pod, name string) (*files, error) {
	f := &files{root: filepath.Join(h.Dir, "pods", string(pod.UID), name), mounts: map[string]string{}}
	for _, dir := range []string{"tmp", "var/lib"} {
		if err := os.MkdirAll(filepath.Join(f.root, dir), 0o700); err != nil {
			return nil, fmt.Errorf("files of container %s: %w", name, err)
		}
	}
	claims := map[string]string{}
	for i := range pod.Spec.Volumes {
		if c := pod.Spec.Volumes[i].PersistentVolumeClaim; c != nil {
			claims[pod.Spec.Volumes[i].Name] = c.ClaimName
		}
	}
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		if c.Name != name {
			continue
		}
		for _, m := range c.VolumeMounts {
			claim, ok := claims[m.Name]
			if !ok {
				continue
			}
			dir, err := h.volume(ctx, types.NamespacedName{Namespace: pod.Namespace, Name: claim})
			if err != nil {
				return nil, err
			}
			f.mounts[path.Clean(m.MountPath)] = dir
		}
	}
	return f, nil
}

// volume makes the directory of a claim.
func (h *Host) volume(ctx context.Context, claim types.NamespacedName) (string, error) {
	pvc := &corev1.PersistentVolumeClaim{}
	if err := h.Client.Get(ctx, claim, pvc); err != nil {
		return "", fmt.Errorf("claim %s: %w", claim, err)
	}
	dir := filepath.Join(h.Dir, "volumes", string(pvc.UID))
	return dir, os.MkdirAll(dir, 0o700)
}

// host returns the path on this machine. Nothing leads out of the container's directories: the path is cleaned first.
func (f *files) host(name string) string {
	clean := path.Clean("/" + name)
	for at := clean; ; at = path.Dir(at) {
		if dir, ok := f.mounts[at]; ok {
			return filepath.Join(dir, strings.TrimPrefix(clean, at))
		}
		if at == "/" {
			return filepath.Join(f.root, clean)
		}
	}
}

// process is a running program of a container.
type process struct {
	host           *Host
	pod            *corev1.Pod
	files          *files
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
}

// fail writes a message as programs do, and returns their exit code.
func (p *process) fail(err error) int {
	var at *fs.PathError
	if errors.As(err, &at) { // without the path on this machine
		err = at.Err
	}
	_, _ = fmt.Fprintf(p.stderr, "%s: %v\n", path.Base(p.args[0]), err)
	return 1
}

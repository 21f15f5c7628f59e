package apiserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/sandbox/cluster/process"
)

// Own is the minor version of Kubernetes that the sandbox's own binary has.
const Own = "1.36"

// releases are the other minor versions, each an unchanged kube-apiserver that a module below sandbox/kubernetes names.
var releases = []string{"1.33", "1.34", "1.35"}

// Releases lists the minor versions of Kubernetes that the API server can have, oldest first.
func Releases() []string { return append(slices.Clone(releases), Own) }

// ProgramOf returns the kube-apiserver of a minor version, a file in sandbox-libexec. "" is the sandbox's own.
func ProgramOf(release string) (string, error) {
	switch {
	case release == "" || release == Own:
		return "", nil
	case slices.Contains(releases, release):
		return "kube-apiserver-" + release, nil
	}
	return "", fmt.Errorf("there is no API server of Kubernetes %q here: there are %s", release,
		strings.Join(Releases(), ", "))
}

// CheckBuilt fails if the API server of a minor version is not built.
func CheckBuilt(release string) error {
	program, err := ProgramOf(release)
	if err != nil || program == "" {
		return err
	}
	directory, err := process.Libexec()
	if err != nil {
		return err
	}
	_, err = process.Check(directory, program, "make sandbox-kubernetes")
	return err
}

package gitops

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/imageref"
	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/prereqs/gitops/names"
)

// DefaultNamespace is the namespace of the instance of Argo CD that OpenShift GitOps creates by itself
// (contracts/gitops.yaml).
const DefaultNamespace = names.Namespace

// ClustersFrom is how ApplicationSets find the hosted clusters.
type ClustersFrom string

const (
	// Placement uses the decisions of an Open Cluster Management Placement for each environment.
	Placement ClustersFrom = "placement"
	// Labels uses the cluster Secrets of Argo CD with the label env.
	Labels ClustersFrom = "labels"
)

// Options configure the repository.
type Options struct {
	// RepoURL is the URL from which Argo CD clones the repository.
	RepoURL string
	// Revision is the branch; "main" if empty.
	Revision string
	// Path is the directory in the repository; empty for its root.
	Path string
	// ArgoNamespace is the namespace of Argo CD; DefaultNamespace if empty.
	ArgoNamespace string
	// Image is the image of the hooks, with hcctl in its PATH.
	Image string
	// ClustersFrom is Placement if empty.
	ClustersFrom ClustersFrom
	// VirtualizationCSV is the version of OpenShift Virtualization, as the name of its ClusterServiceVersion.
	VirtualizationCSV string
	// VirtualizationChannel is "stable" if empty.
	VirtualizationChannel string
	Environments          []Environment
}

// Environment is one environment with its hosted clusters.
type Environment struct {
	Name string
	// Objects are the objects of the environment's hosted clusters, in the order of application.
	Objects []*unstructured.Unstructured
	// Secrets are the Secrets that the objects name and the repository does not have, as "namespace/name".
	Secrets []string
}

var (
	csvForm     = lazyregexp.New(`^kubevirt-hyperconverged-operator\.v[0-9]+\.[0-9]+\.[0-9]+[-.a-z0-9]*$`)
	channelForm = lazyregexp.New(`^[a-z0-9][-.a-z0-9]{0,62}$`)
	branchForm  = lazyregexp.New(`^[A-Za-z0-9][-./_A-Za-z0-9]{0,127}$`)
	pathForm    = lazyregexp.New(`^[-._A-Za-z0-9]+(/[-._A-Za-z0-9]+)*$`)
	// scpForm matches git's short form of ssh, such as git@example.com:team/repo.git.
	scpForm = lazyregexp.New(`^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[-._~/A-Za-z0-9]+$`)
)

// complete sets the defaults and validates the options. The errors name flags, and are joined.
func (o Options) complete() (Options, error) {
	if o.Revision == "" {
		o.Revision = "main"
	}
	if o.ArgoNamespace == "" {
		o.ArgoNamespace = DefaultNamespace
	}
	if o.ClustersFrom == "" {
		o.ClustersFrom = Placement
	}
	if o.VirtualizationChannel == "" {
		o.VirtualizationChannel = "stable"
	}
	err := errors.Join(checkRepository(o.RepoURL),
		matches(branchForm.MatchString, hint.Flag("revision").String(), o.Revision, "a branch or tag, such as main"),
		matches(imageref.Valid, hint.Flag("image").String(), o.Image, "an image with hcctl in its PATH, such as "+
			"registry.example.com/tools/hcctl:1.0"),
		matches(csvForm.MatchString, hint.Flag("virtualization-csv").String(), o.VirtualizationCSV,
			"a version as OLM names it, such as kubevirt-hyperconverged-operator.v4.20.1; oc get packagemanifest "+
				"kubevirt-hyperconverged lists them"),
		matches(channelForm.MatchString, hint.Flag("virtualization-channel").String(), o.VirtualizationChannel,
			"a channel, such as stable"), o.checkRest())
	return o, err
}

func (o Options) checkRest() error {
	var errs []error
	directory := pathForm.MatchString(o.Path) && path.Clean(o.Path) == o.Path && !strings.HasPrefix(o.Path, "..")
	if o.Path != "" && !directory {
		errs = append(errs, fmt.Errorf("%s %q: use a directory in the repository, such as fleets/shop", hint.Flag("path"),
			o.Path))
	}
	if len(validation.IsDNS1123Label(o.ArgoNamespace)) > 0 {
		errs = append(errs, fmt.Errorf("%s %q: not the name of a namespace", hint.Flag("argocd-namespace"),
			o.ArgoNamespace))
	}
	if o.ClustersFrom != Placement && o.ClustersFrom != Labels {
		errs = append(errs, fmt.Errorf("%s %q: use %s or %s", hint.Flag("clusters-from"), o.ClustersFrom, Placement,
			Labels))
	}
	if len(o.Environments) == 0 {
		errs = append(errs, fmt.Errorf("%s: the fleet has no environments, and a repository has a directory for each: "+
			"environments: {dev: "+
			"{}, prod: {}}", hint.Flag("file")))
	}
	for _, e := range o.Environments {
		if len(e.namespaces()) == 0 {
			errs = append(errs, fmt.Errorf("%s: environment %s has no hosted cluster: take it out of environments, or give "+
				"it one", hint.Flag("file"), e.Name))
		}
	}
	return errors.Join(errs...)
}

func matches(valid func(string) bool, flag, value, use string) error {
	switch {
	case value == "":
		return fmt.Errorf("%s: missing; give %s", flag, use)
	case !valid(value):
		return fmt.Errorf("%s %q: use %s", flag, value, use)
	}
	return nil
}

// checkRepository refuses credentials in the URL, which would be in Git and in the status of every Application.
func checkRepository(text string) error {
	const use = "give what Argo CD clones from, such as https://git.example.com/team/fleet.git"
	if scpForm.MatchString(text) {
		return nil
	}
	u, err := url.Parse(text)
	switch {
	case text == "":
		return fmt.Errorf("%s: missing; %s", hint.Flag("repo-url"), use)
	case err != nil || (u.Host == "" && u.Scheme != "file") || strings.ContainsAny(text, " \n'\"{}"):
		return fmt.Errorf("%s: not the URL of a repository; %s", hint.Flag("repo-url"), use)
	}
	if _, secret := u.User.Password(); secret {
		return fmt.Errorf("%s: has a password, which would be in Git; give Argo CD the credentials in a Secret of its own "+
			"(label argocd.argoproj.io/secret-type: repository)", hint.Flag("repo-url"))
	}
	switch u.Scheme {
	case "https", "http", "ssh", "git", "file":
		return nil
	}
	return fmt.Errorf("%s: git cannot clone by %q; %s", hint.Flag("repo-url"), u.Scheme, use)
}

// in returns a path of the repository below Path.
func (o Options) in(at string) string { return path.Join(o.Path, at) }

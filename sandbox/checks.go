package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/sandbox/argocd"
	"github.com/hcctl/hcctl/sandbox/cluster"
	"github.com/hcctl/hcctl/sandbox/cluster/apiserver"
	"github.com/hcctl/hcctl/sandbox/hypershift/programs"
)

// setPrograms checks the program of --run, and that Argo CD is built if the profile has it.
func setPrograms(opts *cluster.Options) (err error) {
	opts.ArgoCD = opts.ArgoCD || opts.Profile.ArgoCD
	if opts.Program != "" {
		info, err := os.Stat(opts.Program)
		if err != nil {
			return fmt.Errorf("--run: %w", err)
		}
		if info.IsDir() || info.Mode()&0o111 == 0 {
			return fmt.Errorf("--run: %s is not a program", opts.Program)
		}
		if opts.Program, err = filepath.Abs(opts.Program); err != nil {
			return fmt.Errorf("--run: %w", err)
		}
	}
	switch {
	case !opts.ArgoCD:
		return nil
	case !opts.OpenAPI:
		return errors.New("Argo CD needs OpenAPI documents: leave --openapi=false out")
	}
	return argocd.Check()
}

// Values of --hypershift.
const (
	hypershiftSimulated = "simulated"
	hypershiftReal      = "real"
)

// setHyperShift sets the form of HyperShift. The vendor's programs have to be built.
func setHyperShift(opts *cluster.Options, host string) (err error) {
	if opts.RealHyperShift, err = realHyperShift(*opts, host); err != nil || !opts.RealHyperShift {
		return err
	}
	return programs.Check()
}

// setKubernetes checks --kubernetes, and that its program is built.
func setKubernetes(opts *cluster.Options) error {
	if opts.Kubernetes == apiserver.Own {
		opts.Kubernetes = ""
	}
	if err := checkKubernetes(*opts); err != nil {
		return err
	}
	return apiserver.CheckBuilt(opts.Kubernetes)
}

// checkKubernetes checks --kubernetes. Two things of the sandbox need its own API server.
func checkKubernetes(opts cluster.Options) error {
	program, err := apiserver.ProgramOf(opts.Kubernetes)
	switch {
	case err != nil:
		return fmt.Errorf("--kubernetes: %w", err)
	case program == "":
		return nil
	case opts.RealHyperShift:
		return fmt.Errorf("the vendor's own HyperShift needs v1 of MutatingAdmissionPolicy, which Kubernetes %s does "+
			"not serve: leave --kubernetes out", opts.Kubernetes)
	case !opts.OpenAPI:
		return errors.New("an API server of --kubernetes always serves OpenAPI documents: leave --openapi=false out")
	}
	return nil
}

// realHyperShift reports whether HyperShift is the vendor's own: host says so, or the profile if that is empty. The
// vendor's programs work on every HostedCluster, so finished ones are not for them.
func realHyperShift(opts cluster.Options, host string) (bool, error) {
	if host == "" {
		host = hypershiftSimulated
		if opts.Profile.VendorHyperShift {
			host = hypershiftReal
		}
	}
	switch {
	case host == hypershiftSimulated && opts.Profile.VendorHyperShift:
		return false, fmt.Errorf("profile %s runs the vendor's own HyperShift: use profile %s for --hypershift %s",
			opts.Profile.Name, opts.Profile.World(), hypershiftSimulated)
	case host == hypershiftSimulated:
		return false, nil
	case host != hypershiftReal:
		return false, fmt.Errorf("--hypershift must be %s or %s, not %q", hypershiftSimulated, hypershiftReal, host)
	case opts.Fleet || opts.Lean || opts.Clusters > 0:
		return false, errors.New("the vendor's own HyperShift does not work with --fleet, --lean and --clusters: leave " +
			"them out")
	}
	return true, nil
}

// checkFinished checks --clusters and --pools.
func checkFinished(opts cluster.Options, pools bool) error {
	switch {
	case opts.Clusters < 0 || opts.Clusters > maxClusters:
		return fmt.Errorf("--clusters must be 0 to %d, not %d", maxClusters, opts.Clusters)
	case opts.Pools < 0 || opts.Pools > maxPools:
		return fmt.Errorf("--pools must be 0 to %d, not %d", maxPools, opts.Pools)
	case opts.Clusters == 0 && pools:
		return errors.New("--pools needs --clusters: add --clusters, or leave --pools out")
	case opts.Clusters > 0 && !opts.Profile.Provisioned():
		return fmt.Errorf("--clusters needs a profile with all operators installed, such as ready, not %s",
			opts.Profile.Name)
	}
	return nil
}

// setJoin checks --join and --cluster-name.
func setJoin(opts *cluster.Options, join cluster.Join) error {
	switch {
	case join == cluster.Join{}:
		return nil
	case join.Hub == "" || join.Cluster == "":
		return errors.New("--join and --cluster-name work together: give both, or leave both out")
	}
	if wrong := validation.IsDNS1123Label(join.Cluster); len(wrong) > 0 {
		return fmt.Errorf("--cluster-name: %q is no name of a ManagedCluster: %s", join.Cluster, wrong[0])
	}
	if _, err := clientcmd.BuildConfigFromFlags("", join.Hub); err != nil {
		return fmt.Errorf("--join: %w", err)
	}
	opts.Join = &join
	return nil
}

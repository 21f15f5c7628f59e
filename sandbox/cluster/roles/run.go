// Package roles has the programs of Kubernetes that the sandbox runs by starting its own binary again as a child.
package roles

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/cli/globalflag"
	"k8s.io/component-base/compatibility"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// The roles of this binary as a child of the sandbox. Kubernetes' programs cannot share a process, because each sets up
// logging and feature gates for the whole process.
const (
	APIServer         = "apiserver"
	ControllerManager = "controller-manager"
	Scheduler         = "scheduler"
)

// OpenAPIFlag is a flag of the API server that Kubernetes' own lacks.
const OpenAPIFlag = "openapi"

// listenerFD is the inherited descriptor that an API server child listens on. The parent opens it, so that no other
// process can take the free port first.
const listenerFD = 3

// Known reports whether name is one of the hidden first arguments.
func Known(name string) bool {
	return slices.Contains([]string{APIServer, ControllerManager, Scheduler}, name)
}

// Run runs the role until it ends. Kubernetes' commands have printed their error to stderr already.
func Run(name string, args []string) error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go Trim(ctx, childReturnsHeap())
	var cmd *cobra.Command
	switch name {
	case APIServer:
		return runAPIServer(args)
	case ControllerManager:
		cmd = controllermanager.NewControllerManagerCommand()
	case Scheduler:
		cmd = scheduler.NewSchedulerCommand()
	default:
		return fmt.Errorf("no role %q", name)
	}
	cmd.SetArgs(args)
	return cmd.Execute()
}

// runAPIServer runs kube-apiserver's own command on the inherited listener.
func runAPIServer(args []string) error {
	ctx := genericapiserver.SetupSignalContext()
	s := options.NewServerRunOptions()
	flags := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	named := s.Flags()
	globalflag.AddGlobalFlags(named.FlagSet("global"), "kube-apiserver", logs.SkipLoggingConfigurationFlags())
	for _, f := range named.FlagSets {
		flags.AddFlagSet(f)
	}
	openAPI := flags.Bool(OpenAPIFlag, true, "serve OpenAPI documents")
	if err := flags.Parse(args); err != nil {
		return err
	}
	registry := s.GenericServerRunOptions.ComponentGlobalsRegistry
	if err := registry.Set(); err != nil {
		return err
	}
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	if err := logsapi.ValidateAndApply(s.Logs, registry.FeatureGateFor(compatibility.DefaultKubeComponent)); err != nil {
		return err
	}
	listener, err := net.FileListener(os.NewFile(listenerFD, "listener "+strconv.Itoa(listenerFD)))
	if err != nil {
		return fmt.Errorf("take over the listener: %w", err)
	}
	s.SecureServing.Listener = listener
	return completeAndRun(ctx, s, *openAPI)
}

// completeAndRun is what kube-apiserver's own command does, and can leave the OpenAPI documents out.
func completeAndRun(ctx context.Context, s *options.ServerRunOptions, openAPI bool) error {
	completed, err := s.Complete(ctx)
	if err != nil {
		return err
	}
	if errs := completed.Validate(); len(errs) != 0 {
		return utilerrors.NewAggregate(errs)
	}
	config, err := apiserver.NewConfig(completed)
	if err != nil {
		return err
	}
	if !openAPI {
		leaveOpenAPIOut(config)
	}
	complete, err := config.Complete()
	if err != nil {
		return err
	}
	server, err := apiserver.CreateServerChain(complete)
	if err != nil {
		return err
	}
	prepared, err := server.PrepareRun()
	if err != nil {
		return err
	}
	return prepared.Run(ctx)
}

// leaveOpenAPIOut has an API server build no OpenAPI documents, not even at each new CRD. Server-side apply and
// validation have schemas of their own.
func leaveOpenAPIOut(config *apiserver.Config) {
	config.KubeAPIs.ControlPlane.Generic.SkipOpenAPIInstallation = true
	config.ApiExtensions.GenericConfig.SkipOpenAPIInstallation = true
	config.Aggregator.GenericConfig.OpenAPIConfig = nil
}

// GCVariable is Go's own setting of how far a heap grows before a garbage collection.
const GCVariable = "GOGC"

// ReturnsHeap reports whether a process with that setting returns unused heap memory. With much memory, the collection
// for this only costs time.
func ReturnsHeap(percent int) bool { return percent < 100 }

// childReturnsHeap is ReturnsHeap for a child process of the sandbox.
func childReturnsHeap() bool {
	percent, err := strconv.Atoi(os.Getenv(GCVariable))
	return err != nil || ReturnsHeap(percent)
}

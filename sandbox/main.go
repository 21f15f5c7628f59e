// Command hcctl-sandbox runs an OpenShift management cluster for tests and demonstrations: a real Kubernetes API with
// simulated operators. It listens on loopback and needs no root, network or containers.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/hcctl/hcctl/sandbox/cluster/roles"
	"github.com/hcctl/hcctl/sandbox/profile"
)

const usage = `hcctl-sandbox runs an OpenShift management cluster for hcctl on this machine.

Usage:
  hcctl-sandbox start --dir DIR [--profile NAME] [--speed FACTOR] [--fault NAME ...]
                      [--clusters N [--pools M]] [--fleet] [--lean] [--guests N] [--audit]
                      [--openapi=false] [--hypershift simulated|real] [--kubernetes VERSION]
                      [--join KUBECONFIG --cluster-name NAME]
  hcctl-sandbox record --out FILE [--profile NAME] [--dir DIR]
  hcctl-sandbox manifests virtualization --dir DIR [--profile NAME]
  hcctl-sandbox control --dir DIR ORDER
  hcctl-sandbox profiles
  hcctl-sandbox faults
  hcctl-sandbox help

start runs in the foreground until SIGINT or SIGTERM. It prints "ready: DIR/kubeconfig" once the cluster is ready.
With --join the cluster becomes a managed cluster of another sandbox, which has multicluster engine.
record provisions a profile once and writes its state to FILE; start uses sandbox-libexec/NAME.world beside the binary.
control sends an order to the sandbox that runs in DIR, such as api-restart; without an order it lists all orders.
manifests writes the manifests that install upstream OpenShift Virtualization without the Operator Lifecycle Manager.
`

const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

func main() { os.Exit(run(runtime.GOOS, os.Args[1:], os.Stdout, os.Stderr)) }

func run(system string, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return exitUsage
	}
	switch name, rest := args[0], args[1:]; {
	case system != "linux" && (name == "start" || name == "record"):
		// Only Linux ends the children of a parent that is killed.
		fmt.Fprintf(stderr, "hcctl-sandbox %s: the sandbox needs Linux, and this is %s: run it in a Linux machine or "+
			"container; hcctl itself runs here\n", name, system)
		return exitError
	case roles.Known(name):
		if err := roles.Run(name, rest); err != nil {
			fmt.Fprintf(stderr, "%s: %v\n", name, err)
			return exitError
		}
		return exitOK
	case name == "start":
		return start(rest, stdout, stderr)
	case name == "record":
		return record(rest, stdout, stderr)
	case name == "manifests":
		return manifests(rest, stdout, stderr)
	case name == "control":
		return control(rest, stdout, stderr)
	case name == "profiles":
		fmt.Fprintln(stdout, strings.Join(profile.Names(), "\n"))
		return exitOK
	case name == "faults":
		faults(stdout)
		return exitOK
	case name == "help" || name == "-h" || name == "--help":
		fmt.Fprint(stdout, usage)
		return exitOK
	default:
		fmt.Fprintf(stderr, "hcctl-sandbox: unknown command %q\n\n%s", name, usage)
		return exitUsage
	}
}

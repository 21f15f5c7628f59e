// Command kubectl is kubectl itself, of the module that hcctl's own version of client-go belongs to, so that make bench
// can measure hcctl beside it where none is installed.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
)

func main() { os.Exit(cli.Run(cmd.NewDefaultKubectlCommand())) }

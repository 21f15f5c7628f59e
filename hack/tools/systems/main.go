// Command systems type-checks hcctl and its tests for other systems, without compiling anything: go vet would compile
// every module for each of them first, which takes minutes instead of seconds.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	root := flag.String("root", ".", "directory of the module github.com/hcctl/hcctl")
	flag.Parse()
	wrong := 0
	for _, system := range flag.Args() {
		n, err := check(*root, system)
		if err != nil {
			fmt.Fprintf(os.Stderr, "systems: %s: %v\n", system, err)
			os.Exit(1)
		}
		fmt.Printf("systems: %s: %d errors\n", system, n)
		wrong += n
	}
	if wrong > 0 {
		os.Exit(1)
	}
}

// check prints the errors of hcctl's packages on a system such as darwin/arm64, and returns their number.
func check(root, system string) (int, error) {
	goos, goarch, ok := strings.Cut(system, "/")
	if !ok {
		return 0, fmt.Errorf("this is not a system such as darwin/arm64")
	}
	found, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: root, Tests: true,
		Env: append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")},
		"./cmd/...", "./pkg/...", "./internal/...")
	if err != nil {
		return 0, err
	}
	if len(found) < 50 {
		return 0, fmt.Errorf("%d packages are fewer than hcctl has", len(found))
	}
	return packages.PrintErrors(found), nil
}

// Command crds writes the schemas of the operators' kinds, by release, from the tables in directory contracts: a file
// DIR/CRD/RELEASE.json for each release whose fields differ from those of the release before it. It holds the schema of
// each API version by name. The sandbox's build runs it, because the sandbox does not import hcctl's module.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hcctl/hcctl/contracts"
	"github.com/hcctl/hcctl/contracts/crd"
)

func main() {
	out := flag.String("out", "", "the directory to write to; what it has is replaced")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "crds:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	if dir == "" {
		return errors.New("--out is missing")
	}
	tables, err := contracts.Tables()
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for _, table := range tables {
		if table.SpecOnly {
			continue // the sandbox has the full CRD from the module
		}
		if err := write(filepath.Join(dir, table.CRD), table); err != nil {
			return fmt.Errorf("%s: %w", table.CRD, err)
		}
	}
	return nil
}

// write writes the releases of one kind.
func write(dir string, table contracts.Table) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	var before []byte
	releases, err := table.Releases.All()
	if err != nil {
		return err
	}
	for _, release := range releases {
		schemas, err := crd.Schemas(table, release)
		if err != nil {
			return err
		}
		raw, err := json.Marshal(schemas)
		if err != nil {
			return err
		}
		if bytes.Equal(raw, before) {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, release.String()+".json"), raw, 0o600); err != nil {
			return err
		}
		before = raw
	}
	return nil
}

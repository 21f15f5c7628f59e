// Command licences lists the modules that are linked into hcctl, or with -sandbox into the sandbox, with their
// licences, and fails if one is not allowed. It writes docs/dev/licences.md (licences-sandbox.md), or with -check
// compares with it; -texts FILE writes the texts, which must accompany a distributed binary.
//
// google/licensecheck recognises the texts. google/go-licenses (v2.0.1) reads only one file of each directory. So it
// misses a second licence beside it (go-udiff, yaml), notices, and Go's own library, whose texts have to be distributed
// too.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	root := flag.String("root", ".", "directory of the module github.com/hcctl/hcctl")
	ofSandbox := flag.Bool("sandbox", false, "of the sandbox's programs instead of hcctl")
	check := flag.Bool("check", false, "do not write the page: fail if it is not what would be written")
	texts := flag.String("texts", "", "file to write the licences' texts to")
	flag.Parse()
	d := hcctl
	if *ofSandbox {
		d = sandbox
	}
	if err := d.run(*root, *check, *texts); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

func (d distribution) run(root string, check bool, texts string) error {
	modules, err := d.linked(root)
	if err != nil {
		return err
	}
	var bad []error
	for i := range modules {
		bad = append(bad, modules[i].judge(d.allowed))
	}
	if err := errors.Join(bad...); err != nil {
		return err
	}
	if texts != "" {
		if err := os.WriteFile(texts, allTexts(modules), 0o644); err != nil {
			return err
		}
	}
	path, want := filepath.Join(root, d.page), d.table(modules)
	if !check {
		return os.WriteFile(path, want, 0o644)
	}
	have, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(have, want) {
		return fmt.Errorf("%s is not up to date: make update writes it; look at what changed", d.page)
	}
	fmt.Printf("licences: %d modules, all allowed, %s is up to date\n", len(modules), d.page)
	return nil
}

// hcctlIntro and sandboxIntro are the beginnings of the pages.
var hcctlIntro = `# Licences

What is linked into hcctl on Linux, macOS and Windows, with its licences (SPDX names) and where they were found. ` +
	"`make update`" + ` writes this page; CI fails
if it is not up to date, or if a licence is not one of ` + allowed().names() + `. ` +
	"`make licence-texts`" + `
writes the texts into bin/licences.txt, which belongs to every copy of the binary. [Another page](licences-sandbox.md)
has the sandbox. Developers' programs are not distributed, and not listed.

The documentation's site has nothing of others in it: script, style and icon are hcctl's own, under its licence, the
fonts are those of the reader's machine, and a test holds that. Hugo (Apache-2.0) makes it; Chromium (BSD-3-Clause) and
axe (MPL-2.0) try it. None of these is part of what is shipped.
`

var sandboxIntro = `# Licences of the sandbox

What is linked into the programs of the sandbox's archive, for Linux, as [licences.md](licences.md) has it for hcctl.
They are built from four Go modules, so that some modules are here in more than one version.

**One licence is allowed here that hcctl may not have: EPL-2.0**, of github.com/eclipse/paho.golang, a client of MQTT
that Open Cluster Management brings. It is linked into ` + "`sandbox-libexec/ocm`" + ` alone, and unchanged. Who hands
the archive on has to hand on its text (licences.txt has it) and to say where its source is (below). All else has
licences that hcctl may have.
`

// table returns the page.
func (d distribution) table(modules []module) []byte {
	var b bytes.Buffer
	b.WriteString(d.intro + `
| module | version | licence | file |
| --- | --- | --- | --- |
`)
	for _, m := range modules {
		for _, f := range m.files {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", m.path, m.version, strings.Join(f.names, ", "), f.name)
		}
	}
	last := ""
	for _, m := range modules {
		for _, f := range m.files {
			for _, name := range f.names {
				if subject := m.path + " (" + name + ")"; d.allowed[name] != "" && subject != last {
					fmt.Fprintf(&b, "\n%s: %s\n", subject, d.allowed[name])
					last = subject
				}
			}
		}
	}
	return b.Bytes()
}

func allTexts(modules []module) []byte {
	var b bytes.Buffer
	for _, m := range modules {
		for _, f := range slices.Concat(m.files, m.notices) {
			fmt.Fprintf(&b, "=== %s %s: %s\n\n%s\n\n", m.path, m.version, f.name, bytes.TrimSpace(f.text))
		}
	}
	return b.Bytes()
}

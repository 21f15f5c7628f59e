// Command sbom writes what a file of a release is made of, as SPDX or CycloneDX: the modules that the linker wrote into
// the program itself, with their checksums and licences. It says the same each time for the same files.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// contents is what is in an artifact.
type contents struct {
	artifact, sha256 string
	version          string
	time             time.Time
	build            *debug.BuildInfo
	// licences are SPDX expressions by module path.
	licences map[string]string
}

func run(args []string) error {
	flags := flag.NewFlagSet("sbom", flag.ContinueOnError)
	dist := flags.String("dist", "dist", "directory with the programs that were built")
	goos := flags.String("os", "", "operating system of the artifact")
	arch := flags.String("arch", "", "processor of the artifact")
	version := flags.String("version", "", "version of the artifact")
	seconds := flags.Int64("time", 0, "time of the commit, in seconds since 1970")
	licences := flags.String("licences", "docs/dev/licences.md", "table of licences")
	artifact := flags.String("artifact", "", "archive or package to describe")
	spdx := flags.String("spdx", "", "file to write as SPDX 2.3")
	cyclonedx := flags.String("cyclonedx", "", "file to write as CycloneDX 1.6")
	if err := flags.Parse(args); err != nil {
		return err
	}
	c := contents{artifact: filepath.Base(*artifact), version: *version, time: time.Unix(*seconds, 0).UTC()}
	var err error
	if c.sha256, err = checksum(*artifact); err != nil {
		return err
	}
	if c.build, err = buildOf(*dist, *goos, *arch); err != nil {
		return err
	}
	if c.licences, err = readLicences(*licences); err != nil {
		return err
	}
	if *spdx == "" && *cyclonedx == "" {
		return errors.New("give -spdx FILE or -cyclonedx FILE")
	}
	if *spdx != "" {
		err = errors.Join(err, write(*spdx, c.writeSPDX))
	}
	if *cyclonedx != "" {
		err = errors.Join(err, write(*cyclonedx, c.writeCycloneDX))
	}
	return err
}

func write(name string, to func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(to(f), f.Close())
}

func checksum(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// buildOf reads what the program for a system was linked from.
func buildOf(dist, goos, arch string) (*debug.BuildInfo, error) {
	found, err := filepath.Glob(filepath.Join(dist, "hcctl_"+goos+"_"+arch+"*", "hcctl*"))
	if err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%d programs in %s for %s on %s, not one", len(found), dist, goos, arch)
	}
	return buildinfo.ReadFile(found[0])
}

// modules are the modules that were linked, without the program's own, sorted by path.
func (c contents) modules() []*debug.Module {
	var out []*debug.Module
	for _, m := range c.build.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b *debug.Module) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// readLicences reads the table of make licences: module, version, licence, file. Several licences of one module apply
// together.
func readLicences(name string) (map[string]string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 4 || !strings.Contains(cells[0], ".") {
			continue
		}
		module, licence := strings.TrimPrefix(cells[0], "| "), cells[2]
		switch have := out[module]; {
		case have == "":
			out[module] = licence
		case !slices.Contains(strings.Split(have, " AND "), licence):
			out[module] = have + " AND " + licence
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no table of licences", name)
	}
	return out, nil
}

// packageURL names a Go module as the package URL specification does.
func packageURL(path, version string) string {
	return "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
}

// Command sbom writes what a file of a release is made of, as SPDX or CycloneDX: the modules that the linker wrote into
// its programs, with their checksums and licences. It says the same each time for the same files.
package main

import (
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
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

// contents describes an artifact.
type contents struct {
	artifact, sha256 string
	name, version    string
	time             time.Time
	// builds are the build information of its programs.
	builds []*debug.BuildInfo
	// licences are SPDX expressions by module path.
	licences map[string]string
}

func run(args []string) error {
	flags := flag.NewFlagSet("sbom", flag.ContinueOnError)
	dist := flags.String("dist", "dist", "directory with the programs that were built")
	builds := flags.String("builds", "hcctl", "pattern of the IDs of the builds whose programs are in it")
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
	c := contents{artifact: filepath.Base(*artifact), name: strings.TrimSuffix(*builds, "*"), version: *version,
		time: time.Unix(*seconds, 0).UTC()}
	var err error
	if c.sha256, err = checksum(*artifact); err != nil {
		return err
	}
	if c.builds, err = buildsOf(*dist, *builds, *goos, *arch); err != nil {
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

// buildsOf reads the build information of the programs for a system.
func buildsOf(dist, builds, goos, arch string) ([]*debug.BuildInfo, error) {
	// A program is in the directory of its build, or in one below it. Archives lie beside these directories.
	inside, err := filepath.Glob(filepath.Join(dist, builds+"_"+goos+"_"+arch+"*", "*"))
	if err != nil {
		return nil, err
	}
	var out []*debug.BuildInfo
	for _, entry := range inside {
		err := filepath.WalkDir(entry, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			build, err := buildinfo.ReadFile(name)
			out = append(out, build)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(out) == 0 || len(out) != len(inside) {
		return nil, fmt.Errorf("%d programs of %s in %s for %s on %s, not one for each build", len(out), builds, dist, goos,
			arch)
	}
	return out, nil
}

// modules returns the linked modules without the programs' own, sorted by path and version.
func (c contents) modules() []debug.Module {
	var out []debug.Module
	for _, build := range c.builds {
		for _, m := range build.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			out = append(out, debug.Module{Path: m.Path, Version: m.Version})
		}
	}
	slices.SortFunc(out, func(a, b debug.Module) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Version, b.Version))
	})
	return slices.Compact(out)
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

// packageURL returns a Go module's name in the package URL specification.
func packageURL(path, version string) string {
	return "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
}

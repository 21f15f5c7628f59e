package main

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"debug/elf"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
)

// binary looks at the program itself: its size, whether it links C, and what its packages do before main begins.
func (b *bench) binary(ctx context.Context) error {
	info, err := os.Stat(b.hcctl)
	if err != nil {
		return err
	}
	b.record("binary.size", float64(info.Size())/1e6)
	libraries, err := linked(b.hcctl)
	if err != nil {
		return err
	}
	b.record("binary.cgo", float64(libraries))
	perPackage := map[string][]float64{}
	for range b.runs {
		e, err := run(ctx, []string{"GODEBUG=inittrace=1"}, b.hcctl, "version")
		if err != nil {
			return err
		}
		var whole initCost
		for _, c := range initCosts(string(e.stderr)) {
			perPackage[c.name] = append(perPackage[c.name], c.ms)
			whole.ms += c.ms
			whole.bytes += c.bytes
			whole.allocs += c.allocs
		}
		if whole.allocs == 0 {
			return fmt.Errorf("GODEBUG=inittrace=1 told nothing of %s", b.hcctl)
		}
		b.record("binary.init", whole.ms)
		b.record("binary.init.memory", whole.bytes/1e6)
		b.record("binary.init.allocs", whole.allocs)
	}
	b.series = append(b.series, series{
		ID: "binary.init.packages", Group: "binary", Title: "What packages cost before main begins: the dearest (median of the runs)", Kind: "bars", Unit: "ms", Points: dearest(perPackage, 12),
	})
	return nil
}

// linked is how many libraries the program loads when it starts; one more if its own build information says that it was built with cgo.
func linked(program string) (int, error) {
	build, err := buildinfo.ReadFile(program)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, s := range build.Settings {
		if s.Key == "CGO_ENABLED" && s.Value != "0" {
			n++
		}
	}
	file, err := elf.Open(program)
	if err != nil {
		return n, nil // not Linux: the build information has to do
	}
	defer file.Close() //nolint:errcheck // only read
	libraries, err := file.ImportedLibraries()
	return n + len(libraries), err
}

// initCost is what the initialization of one package costs.
type initCost struct {
	name              string
	ms, bytes, allocs float64
}

var initLine = regexp.MustCompile(`(?m)^init (\S+) @.*, ([0-9.]+) ms clock, (\d+) bytes, (\d+) allocs$`)

// initCosts reads what the Go runtime tells with GODEBUG=inittrace=1.
func initCosts(trace string) []initCost {
	var out []initCost
	for _, m := range initLine.FindAllStringSubmatch(trace, -1) {
		c := initCost{name: m[1]}
		c.ms, _ = strconv.ParseFloat(m[2], 64)
		c.bytes, _ = strconv.ParseFloat(m[3], 64)
		c.allocs, _ = strconv.ParseFloat(m[4], 64)
		out = append(out, c)
	}
	return out
}

// dearest are the n packages whose median is highest.
func dearest(perPackage map[string][]float64, n int) []point {
	var points []point
	for name, runs := range perPackage {
		points = append(points, point{Label: name, Y: median(runs)})
	}
	slices.SortFunc(points, func(a, b point) int { return cmp.Or(cmp.Compare(b.Y, a.Y), cmp.Compare(a.Label, b.Label)) })
	return points[:min(n, len(points))]
}

package main

import (
	"context"
	"os"

	"github.com/hcctl/hcctl/hack/internal/measuring"
)

const hcp = "hcp"

// start compares the programs themselves: their size, and the cost of help and version.
func (c *comparison) start(ctx context.Context) error {
	for of, program := range map[side]string{ours: c.hcctl, theirs: c.hcp} {
		info, err := os.Stat(program)
		if err != nil {
			return err
		}
		c.record("start", "size of the binary, stripped", "MB", hcp, of, float64(info.Size())/1e6)
	}
	for _, does := range []struct {
		what         string
		ours, theirs []string
	}{
		{"help", []string{"--help"}, []string{"--help"}},
		{"version", []string{"version"}, []string{"version", "--client-only"}},
		{"help of create cluster", []string{"create", "cluster", "--help"}, []string{"create", "cluster", "kubevirt",
			"--help"}},
	} {
		err := alternate(10*c.runs, func(_ int, of side) error {
			program, args := c.hcp, does.theirs
			if of == ours {
				program, args = c.hcctl, does.ours
			}
			e, err := measuring.Run(ctx, offline(), program, args...)
			if err != nil {
				return err
			}
			c.record("start", does.what+": time", "ms", hcp, of, measuring.Ms(e.Took))
			c.record("start", does.what+": memory", "MB", hcp, of, e.Resident)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

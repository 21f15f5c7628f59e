package cmdutil

import (
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// NameFlags calls each option in err by its flag, unless it is called already as the file or variable that its value is
// from. It changes err.
func NameFlags(err error) error { return option.Located(err, flagName) }

// flagName is the flag of an option with its dashes; empty for one that only a file can say.
func flagName(e *option.Error) string {
	flag, known := config.FlagOf(e)
	if !known {
		flag = options.FlagOf(e)
	}
	if flag == "" {
		return ""
	}
	return "--" + flag
}

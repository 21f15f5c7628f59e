package config

import (
	"fmt"
	"strings"

	"github.com/hcctl/hcctl/pkg/config"
)

// configTopic returns the text of hcctl help config: the sources of settings, and all fields.
func configTopic() string {
	var b strings.Builder
	b.WriteString(
		`hcctl.yaml holds the settings of check and bootstrap, given with -f FILE. It is read strictly: what is unknown,
repeated or of the wrong type is an error that names the line. A flag wins over its variable (hcctl help environment),
and that over the file.

  hcctl config init hcctl.yaml             a commented file to begin with
  hcctl config validate -f hcctl.yaml      says which line is wrong
  hcctl config schema                      the JSON Schema, for editors

Its fields, with the flag that says the same:

`)
	for _, f := range config.Fields() {
		flag := ""
		if f.Flag != "" {
			flag = " (--" + f.Flag + ")"
		}
		fmt.Fprintf(&b, "  %-27s  %s%s\n", f.Name, f.Text, flag)
	}
	return strings.TrimRight(b.String(), "\n")
}

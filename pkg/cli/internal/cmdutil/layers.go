package cmdutil

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/config"
)

// Settings are where the settings of a command come from: its flags win over the environment, that over the file, and
// the file over the defaults. A list of a higher layer replaces that of a lower one.
type Settings struct {
	// Flags holds the defaults, and receives what flags and environment say.
	Flags config.Bootstrap
	// Path is the file, "-" for standard input, or empty for none.
	Path string
	// OwnTimeout is for commands that only look: the times in the file are not for them.
	OwnTimeout bool
}

// Bind makes the flags.
func (s *Settings) Bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&s.Path, "file", "f", "", "hcctl.yaml to read the settings from; - is standard input")
	BindSettings(f, &s.Flags)
	if !s.OwnTimeout {
		BindPatience(f, &s.Flags)
	}
	CompleteSettings(cmd)
	_ = cmd.MarkFlagFilename("file", "yaml", "yml")
}

// Choose brings the layers together. The error is wrong usage, and names the flag, the variable or the line that is
// wrong.
func (a *Factory) Choose(cmd *cobra.Command, s *Settings) (*Choice, error) {
	fromEnv, err := a.environment(cmd)
	if err != nil {
		return nil, Misuse(cmd, err)
	}
	named := "--file"
	if fromEnv["file"] {
		named = Variable("file")
	}
	file, err := a.SettingsFile(named, s.Path)
	if err != nil {
		return nil, Misuse(cmd, err)
	}
	b := config.Default()
	if file != nil {
		b = file.Bootstrap
	}
	if s.OwnTimeout {
		b.Timeout = s.Flags.Timeout
	}
	if err := Overlay(&b, cmd.Flags()); err != nil {
		return nil, Misuse(cmd, err)
	}
	choice, err := NewChoice(b)
	if err != nil {
		return nil, Misuse(cmd, blame(err, cmd, file, fromEnv))
	}
	return choice, nil
}

// Overlay puts what the flags that were given say over b.
func Overlay(b *config.Bootstrap, given *pflag.FlagSet) error {
	over := pflag.NewFlagSet("", pflag.ContinueOnError)
	BindSettings(over, b)
	BindPatience(over, b)
	var err error
	over.VisitAll(func(f *pflag.Flag) {
		from := given.Lookup(f.Name)
		if from == nil || !from.Changed || err != nil {
			return
		}
		if list, ok := from.Value.(pflag.SliceValue); ok {
			err = f.Value.(pflag.SliceValue).Replace(list.GetSlice())
			return
		}
		err = f.Value.Set(from.Value.String())
	})
	return err
}

// SettingsFile reads the file that flag names, if there is one.
func (a *Factory) SettingsFile(flag, path string) (*config.File, error) {
	if path == "" {
		return nil, nil
	}
	data, err := a.File(flag, path)
	if err != nil {
		return nil, err
	}
	if path == "-" {
		return config.Parse("standard input", ".", data)
	}
	return config.Parse(path, filepath.Dir(path), data)
}

// Variable is the environment's word for a flag, such as HCCTL_METALLB_RANGE.
func Variable(flag string) string {
	return "HCCTL_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// environment gives the flags of cmd that were not given what the environment says, and returns the names of those.
func (a *Factory) environment(cmd *cobra.Command) (map[string]bool, error) {
	from := map[string]bool{}
	var err error
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		value := a.Getenv(Variable(f.Name))
		if f.Changed || value == "" || err != nil || f.Name == "help" {
			return
		}
		if cmd.Flags().Set(f.Name, value) != nil {
			err = fmt.Errorf("%s %q: %s", Variable(f.Name), value, expected(f.Value.Type()))
			return
		}
		from[f.Name] = true
	})
	return from, err
}

// expected says what values of a flag's type look like.
func expected(kind string) string {
	switch kind {
	case "duration":
		return "it has to be a time such as 90m or 1h30m"
	case "int":
		return "it has to be a whole number"
	case "bool":
		return "it has to be true or false"
	case "stringSlice":
		return "it has to be a list with commas in between"
	}
	return "it cannot be read"
}

// blame names where the value that is wrong came from: flags name themselves, so the rest is the environment and the
// file.
func blame(err error, cmd *cobra.Command, file *config.File, fromEnv map[string]bool) error {
	var p *option.Error
	if !errors.As(err, &p) {
		return err
	}
	flag, _ := config.FlagOf(p)
	switch {
	case fromEnv[flag]:
		return option.Located(err, func(*option.Error) string { return Variable(flag) })
	case flag != "" && cmd.Flags().Changed(flag) || file == nil:
		return err
	}
	if located := file.Locate(err); located != nil {
		return located
	}
	return err
}

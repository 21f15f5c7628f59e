package cmdutil

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/internal/safefile"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/prereqs"
	"github.com/hcctl/hcctl/pkg/prereqs/disk"
)

// Settings merges the layers of a command's settings: flags override the environment, the environment overrides
// the file, and the file overrides the defaults. A list replaces the list of a lower layer.
type Settings struct {
	// Flags holds the defaults, and later the values of flags and environment.
	Flags config.Bootstrap
	// Path is the file, "-" for standard input, or empty for none.
	Path string
	// OwnTimeout ignores the times in the file, for commands that only read.
	OwnTimeout bool
	// RefuseIdle refuses a flag on the command line that has no effect with the other settings. A file or the
	// environment describes a whole site, and may set more than one run needs.
	RefuseIdle bool
	// bound lists the fields whose flags the command has.
	bound []config.Field
}

// Bind adds the flags.
func (s *Settings) Bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&s.Path, "file", "f", "", "hcctl.yaml to read the settings from; - is standard input")
	s.bindIf(f, func(flag string) bool { return flag != troubleTimeoutFlag || !s.OwnTimeout })
	CompleteSettings(cmd)
	_ = cmd.MarkFlagFilename("file", "yaml", "yml")
}

// BindOnly adds --file and the named flags, for a command that does not use the other settings.
func (s *Settings) BindOnly(cmd *cobra.Command, flags ...string) {
	f := cmd.Flags()
	f.StringVarP(&s.Path, "file", "f", "", "hcctl.yaml to read the settings from; - is standard input")
	s.BindNamed(f, flags...)
	CompleteSettings(cmd)
	_ = cmd.MarkFlagFilename("file", "yaml", "yml")
}

// Choose merges the layers. Its error is wrong usage, and names the flag, the variable or the line.
func (s *Settings) Choose(cmd *cobra.Command, files *Files, getenv func(string) string) (*Choice, error) {
	fromEnv, err := environment(cmd, getenv)
	if err != nil {
		return nil, Misuse(cmd, err)
	}
	named := "--file"
	if fromEnv["file"] {
		named = Variable("file")
	}
	file, err := SettingsFile(files, named, s.Path)
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
	s.Overlay(&b, cmd.Flags())
	for _, named := range []struct{ field, flag, dir string }{
		{"virtualization.manifests", "virtualization-manifests", b.Virtualization.Manifests},
		{"mirrors.resources", "mirror-resources", b.Mirrors.Resources},
	} {
		if cmd.Flags().Changed(named.flag) {
			continue
		}
		if err := checkManifests(files, named.field, named.dir, s.Path); err != nil {
			return nil, Misuse(cmd, inSettings(err, named.flag))
		}
	}
	if err := checkMirrorFiles(files, b.Options().Mirrors.Files(), s.Path); err != nil {
		return nil, Misuse(cmd, err)
	}
	saved, err := savedDisks(files, &b, s.Path, cmd.Flags().Changed(disksFlag))
	if err != nil {
		return nil, Misuse(cmd, err)
	}
	choice, err := NewChoice(b)
	if err != nil {
		return nil, Misuse(cmd, blame(err, cmd, file, fromEnv))
	}
	if s.RefuseIdle {
		if err := refuseIdle(choice, cmd, fromEnv); err != nil {
			return nil, Misuse(cmd, err)
		}
	}
	if saved.Digest != "" {
		choice.valid = choice.valid.AgreeingTo(saved)
	}
	choice.valid = choice.valid.CalledWith(s.givenWords(cmd, fromEnv))
	return choice, nil
}

// givenWords returns the settings that were given as flags, as words of a command line. It leaves out those
// about disks, because a plan of disks contains them.
func (s *Settings) givenWords(cmd *cobra.Command, fromEnv map[string]bool) []string {
	names := []string{"file", "yes"}
	for _, f := range config.Fields() {
		names = append(names, f.Flag)
	}
	var words []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if fromEnv[f.Name] || !slices.Contains(names, f.Name) || slices.Contains(config.DiskFlags(), f.Name) ||
			s.OwnTimeout && f.Name == "timeout" {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			switch f.NoOptDefVal {
			case "":
				words = append(words, "--"+f.Name, value)
			case value:
				words = append(words, "--"+f.Name)
			default:
				words = append(words, "--"+f.Name+"="+value)
			}
		}
	})
	return words
}

// refuseIdle returns an error for the first flag on the command line that has no effect with the other settings.
func refuseIdle(c *Choice, cmd *cobra.Command, fromEnv map[string]bool) error {
	graph, err := prereqs.Graph(c.valid)
	if err != nil {
		return err
	}
	called := func(field, value string) string {
		flag, _ := config.FlagOf(&option.Error{Field: field})
		switch {
		case fromEnv[flag]:
			return Variable(flag) + " " + value
		case cmd.Flags().Changed(flag):
			return "--" + flag + " " + value
		}
		return field + " " + value + " of the file"
	}
	for _, f := range config.Fields() {
		if f.Flag == "" || !cmd.Flags().Changed(f.Flag) || fromEnv[f.Flag] {
			continue
		}
		if err := c.HasEffect(f, graph, called); err != nil {
			return err
		}
	}
	return nil
}

// disksFlag is the flag that accepts a plan of disks.
const disksFlag = "disks"

// savedDisks reads the plan of disks if the setting names a file, and replaces the setting by the digest of the
// plan. A path in hcctl.yaml is relative to that file, and must be below its directory.
func savedDisks(files *Files, b *config.Bootstrap, settings string, flag bool) (disk.Saved, error) {
	agreed := b.Storage.Disks.Agreed
	if len(agreed) != 1 || !strings.HasSuffix(agreed[0], ".json") || strings.Contains(agreed[0], "=") {
		return disk.Saved{}, nil
	}
	path := agreed[0]
	var data []byte
	var err error
	if flag || settings == "" {
		data, err = files.File("--"+disksFlag, path)
	} else {
		directory := directoryOf(settings)
		if !filepath.IsAbs(path) {
			path = filepath.Join(directory, path)
		}
		data, err = files.namedFiles("storage.disks.agreed", directory).Read(path, maxInputBytes)
	}
	if err != nil {
		return disk.Saved{}, inSettings(err, disksFlag)
	}
	saved, err := disk.ReadSaved(data)
	if err != nil {
		return saved, fmt.Errorf("--%s %s: %w", disksFlag, path, err)
	}
	b.Storage.Disks.Agreed = []string{saved.Digest}
	return saved, nil
}

// directoryOf returns the directory of a settings file, or "." for standard input.
func directoryOf(settings string) string {
	if settings == "-" {
		return "."
	}
	return filepath.Dir(settings)
}

// inSettings adds the flag that may name the file instead, to an error about a file outside the directory of
// hcctl.yaml.
func inSettings(err error, flag string) error {
	var outside *safefile.OutsideError
	if errors.As(err, &outside) {
		return WithHint(outside, "hcctl.yaml names files of its own directory only; name another with --%s", flag)
	}
	return err
}

// checkManifests checks a directory of manifests that a field of hcctl.yaml names. Every file must be below the
// directory of hcctl.yaml, and none may be a credential of the user.
func checkManifests(files *Files, field, dir, settings string) error {
	if dir == "" || settings == "" {
		return nil
	}
	tree := files.namedFiles(field, directoryOf(settings))
	err := tree.Walk(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		_, err = tree.Read(path, maxInputBytes)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the check of its step reports it
	}
	return err
}

// checkMirrorFiles does the same as checkManifests for single files.
func checkMirrorFiles(files *Files, named map[string]string, settings string) error {
	for _, field := range slices.Sorted(maps.Keys(named)) {
		if _, err := files.namedFiles(field, directoryOf(settings)).Read(named[field], maxInputBytes); err != nil {
			return fmt.Errorf("%s: %w", field, err)
		}
	}
	return nil
}

// Overlay sets the values of the given flags in b.
func (s *Settings) Overlay(b *config.Bootstrap, given *pflag.FlagSet) {
	option.Overlay(GivenFields(s.bound, given, AsGiven), &s.Flags, b)
}

// SettingsFile reads the file that flag names, if there is one.
func SettingsFile(files *Files, flag, path string) (*config.File, error) {
	if path == "" {
		return nil, nil
	}
	data, err := files.File(flag, path)
	if err != nil {
		return nil, err
	}
	if path == "-" {
		return config.Parse("standard input", ".", data)
	}
	return config.Parse(path, filepath.Dir(path), data)
}

// Variable returns the environment variable of a flag, such as HCCTL_METALLB_RANGE.
func Variable(flag string) string {
	return "HCCTL_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// environment sets the flags of cmd that were not given from the environment, and returns their names.
func environment(cmd *cobra.Command, getenv func(string) string) (map[string]bool, error) {
	from := map[string]bool{}
	var err error
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		value := getenv(Variable(f.Name))
		if f.Changed || value == "" || err != nil || f.Name == "help" {
			return
		}
		var refused *pflag.InvalidValueError
		if wrong := cmd.Flags().Set(f.Name, value); wrong != nil {
			cause := wrong
			if errors.As(wrong, &refused) {
				cause = errors.Unwrap(refused)
			}
			err = fmt.Errorf("%s %q: %s", Variable(f.Name), value, valueProblem(f.Value.Type(), cause))
			return
		}
		from[f.Name] = true
	})
	return from, err
}

// blame adds the source of an invalid value to the error: the variable or the file. An error about a flag names
// the flag already.
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

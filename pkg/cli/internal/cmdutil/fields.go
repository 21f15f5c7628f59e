package cmdutil

import (
	"encoding/csv"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// BindFields adds a flag for each field that has one. values, a pointer to a struct with yaml tags, has the defaults;
// an unknown field is a programming error and panics.
func BindFields(f *pflag.FlagSet, fields []options.Field, values any, named func(string) string) {
	v := reflect.ValueOf(values).Elem()
	for _, field := range fields {
		if field.Flag == "" {
			continue
		}
		bindField(f, named(field.Flag), field.Usage(), option.At(v, field.Name))
		if field.Group != "" {
			InGroup(f, string(field.Group), named(field.Flag))
		}
	}
}

// GivenFields returns the fields whose flags were given.
func GivenFields(fields []options.Field, flags *pflag.FlagSet, named func(string) string) []options.Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f options.Field) bool {
		return f.Flag == "" || !flags.Changed(named(f.Flag))
	})
}

func bindField(f *pflag.FlagSet, flag, text string, option reflect.Value) {
	switch at := option.Addr().Interface().(type) {
	case *string:
		f.StringVar(at, flag, *at, text)
	case *bool:
		f.BoolVar(at, flag, *at, text)
	case *int:
		f.IntVar(at, flag, *at, text)
	case *int32:
		f.Int32Var(at, flag, *at, text)
	case *time.Duration:
		f.DurationVar(at, flag, *at, text)
	case *[]string:
		f.StringArrayVar(at, flag, *at, text+" (repeatable)")
	case *options.List:
		f.StringSliceVar((*[]string)(at), flag, *at, text+" (repeatable)")
	case *map[string]string:
		f.StringToStringVar(at, flag, *at, text)
	case *options.Annotations:
		f.Var((*annotationsFlag)(at), flag, text+" (repeatable)")
	case *options.File:
		f.Var((*fileFlag)(at), flag, text)
	case *options.Files:
		f.Var((*filesFlag)(at), flag, text+" (repeatable)")
	default:
		if option.Kind() != reflect.String {
			panic(fmt.Sprintf("--%s: no flag can be of type %T", flag, at))
		}
		word := option.Addr().Convert(reflect.TypeFor[*string]()).Interface().(*string) // a type of fixed words
		f.StringVar(word, flag, *word, text)
	}
}

// AsGiven returns the name of a flag unchanged.
func AsGiven(flag string) string { return flag }

type fileFlag options.File

func (v *fileFlag) String() string     { return v.Path }
func (*fileFlag) Type() string         { return "file" }
func (v *fileFlag) Set(s string) error { v.Path, v.Content = s, nil; return nil }

type filesFlag options.Files

func (v *filesFlag) String() string {
	paths := make([]string, 0, len(*v))
	for _, file := range *v {
		paths = append(paths, file.Path)
	}
	return strings.Join(paths, ",")
}
func (*filesFlag) Type() string { return "file" }
func (v *filesFlag) Set(s string) error {
	*v = append(*v, options.File{Path: s})
	return nil
}

type annotationsFlag options.Annotations

func (v *annotationsFlag) String() string {
	var parts []string
	for key, value := range *v {
		parts = append(parts, key+"="+value)
	}
	slices.Sort(parts)
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(parts)
	w.Flush()
	return strings.TrimSpace(b.String())
}
func (*annotationsFlag) Type() string { return "key=value" }
func (v *annotationsFlag) Set(s string) error {
	key, value, ok := strings.Cut(s, "=")
	if !ok || key == "" {
		return errors.New("give KEY=VALUE")
	}
	if *v == nil {
		*v = annotationsFlag{}
	}
	(*v)[key] = value
	return nil
}

// CompleteFields adds completion for the fields with a closed list of values.
func CompleteFields(cmd *cobra.Command, fields []options.Field, named func(string) string) {
	for _, field := range fields {
		if field.Flag == "" || len(field.Values) == 0 {
			continue
		}
		_ = cmd.RegisterFlagCompletionFunc(named(field.Flag),
			cobra.FixedCompletions(field.Values, cobra.ShellCompDirectiveNoFileComp))
	}
}

// NameFlags adds its flag to each option error in err, unless the error already names the file or variable that
// the value is from. It changes err.
func NameFlags(err error) error { return option.Located(err, flagName) }

// flagName returns the flag of an option with its dashes, or "" if only a file can set the option.
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

// Headings of flags that are not fields.
const (
	MostUsedGroup = "Most used"
	WaitingGroup  = "Waiting"
	OutputGroup   = "Output"
)

// groupAnnotation is the annotation that holds the heading of a flag in help.
const groupAnnotation = "hcctl.dev/group"

// InGroup puts flags under a heading of help.
func InGroup(f *pflag.FlagSet, heading string, names ...string) {
	for _, name := range names {
		if f.SetAnnotation(name, groupAnnotation, []string{heading}) != nil {
			panic("no flag --" + name)
		}
	}
}

// GroupOf returns the heading of a flag in help, or "" if it has none.
func GroupOf(f *pflag.Flag) string {
	if values := f.Annotations[groupAnnotation]; len(values) > 0 {
		return values[0]
	}
	return ""
}

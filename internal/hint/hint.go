// Package hint has what hcctl tells a user to do: text in which hcctl's own commands and flags are values. pkg/cli
// renders it, since only a command line knows what hcctl is called and which cluster it is about.
package hint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/sanitize"
)

// Flag is a flag by its name, such as "namespace"; one of a single letter is a short one.
type Flag string

func (f Flag) String() string {
	if len(f) == 1 {
		return "-" + string(f)
	}
	return "--" + string(f)
}

// Args are arguments of a command: words, Flags, and other Args.
type Args []any

// String returns the arguments as on a command line, quoted for a shell where they have to be.
func (a Args) String() string {
	words := make([]string, 0, len(a))
	for _, arg := range a {
		switch arg.(type) {
		case Flag, Args:
			words = append(words, fmt.Sprint(arg))
		default:
			words = append(words, sanitize.Word(fmt.Sprint(arg)))
		}
	}
	return strings.Join(words, " ")
}

// Command is a call of hcctl.
type Command struct{ args Args }

// Run returns a call of an hcctl command such as "create cluster".
func Run(command string, args ...any) Command {
	var c Command
	for _, word := range strings.Fields(command) {
		c.args = append(c.args, word)
	}
	return c.With(args...)
}

// With returns c with further arguments.
func (c Command) With(args ...any) Command {
	c.args = append(slices.Clip(c.args), args...)
	return c
}

// Flag returns c with a flag and its values.
func (c Command) Flag(name string, values ...any) Command { return c.With(Flag(name)).With(values...) }

// Has reports whether c has that flag.
func (c Command) Has(flag Flag) bool {
	return slices.ContainsFunc(c.args, func(arg any) bool { is, ok := arg.(Flag); return ok && is == flag })
}

// As returns c as a user types it: program is what hcctl is called, global are the flags that come before the command.
func (c Command) As(program string, global Args) string {
	return program + " " + append(slices.Clone(global), c.args...).String()
}

// Name returns the first word of c, such as "create"; empty for hcctl alone.
func (c Command) Name() string {
	if len(c.args) == 0 {
		return ""
	}
	return fmt.Sprint(c.args[0])
}

func (c Command) String() string { return c.As("hcctl", nil) }

// Before returns c up to that flag. ok is false if c does not give the flag a value.
func (c Command) Before(flag Flag) (before Command, ok bool) {
	at := slices.IndexFunc(c.args, func(arg any) bool { is, ok := arg.(Flag); return ok && is == flag })
	if at < 0 || at == len(c.args)-1 {
		return c, false
	}
	return Command{c.args[:at]}, true
}

// Text returns c alone as a Text.
func (c Command) Text() Text { return New("%s", c) }

// Text is what a user can do. The zero value says nothing.
type Text struct {
	format string
	args   []any
}

// New returns a Text, formatted as by fmt.Sprintf. Commands and other Texts among the arguments keep their parts.
func New(format string, args ...any) Text {
	for _, arg := range args {
		switch arg.(type) {
		case Command, Text:
			return Text{format, args}
		}
	}
	return Plain(fmt.Sprintf(format, args...))
}

// IsOC reports whether t begins with a call of oc, such as "oc get nodes", not with advice in words.
func (t Text) IsOC() bool {
	if first, is := t.first().(Text); is {
		return first.IsOC()
	}
	return strings.HasPrefix(t.format, "oc ")
}

// first is what t begins with, nil for words.
func (t Text) first() any {
	if len(t.args) > 0 && strings.HasPrefix(t.format, "%s") {
		return t.args[0]
	}
	return nil
}

// Command returns the command that t begins with.
func (t Text) Command() (c Command, ok bool) {
	c, ok = t.first().(Command)
	return c, ok
}

// Plain returns a Text of these words alone.
func Plain(text string) Text { return Text{format: text} }

// Join returns the texts with sep between them.
func Join(texts []Text, sep string) Text {
	args := make([]any, 0, len(texts))
	for _, t := range texts {
		args = append(args, t)
	}
	return New(strings.TrimSuffix(strings.Repeat("%s"+sep, len(texts)), sep), args...)
}

// Render returns the text with each command as say writes it.
func (t Text) Render(say func(Command) string) string {
	if len(t.args) == 0 {
		return t.format
	}
	args := slices.Clone(t.args)
	for i, arg := range args {
		switch part := arg.(type) {
		case Command:
			args[i] = say(part)
		case Text:
			args[i] = part.Render(say)
		}
	}
	return fmt.Sprintf(t.format, args...)
}

func (t Text) String() string { return t.Render(Command.String) }

// IsZero reports whether the text says nothing.
func (t Text) IsZero() bool { return t.format == "" }

// Replace returns t with something else in the place of a word, such as the name of a cluster for NAME. In a command
// the word has to be a whole argument, or the name of a flag.
func (t Text) Replace(word string, by any) Text {
	args := slices.Clone(t.args)
	for i, arg := range args {
		switch part := arg.(type) {
		case Command:
			args[i] = Command{slices.Clone(part.args)}
			for k, a := range part.args {
				switch a {
				case word:
					args[i].(Command).args[k] = by
				case Flag(word):
					args[i].(Command).args[k] = Flag(fmt.Sprint(by))
				}
			}
		case Text:
			args[i] = part.Replace(word, by)
		}
	}
	words := fmt.Sprint(by)
	if len(args) > 0 { // else the format is the text itself
		words = strings.ReplaceAll(words, "%", "%%")
	}
	return Text{strings.ReplaceAll(t.format, word, words), args}
}

// Equal reports whether both texts read the same.
func (t Text) Equal(u Text) bool { return t.String() == u.String() }

// MarshalText makes JSON carry the text.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (t *Text) UnmarshalText(text []byte) error {
	*t = Plain(string(text))
	return nil
}

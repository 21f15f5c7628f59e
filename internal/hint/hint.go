// Package hint has hcctl's advice for users: text in which hcctl's commands and flags are values. pkg/cli renders it,
// because only the command line has the program's name and the global flags.
package hint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/sanitize"
)

// Flag is the name of a flag, such as "namespace"; a name of one letter is a short flag.
type Flag string

func (f Flag) String() string {
	if len(f) == 1 {
		return "-" + string(f)
	}
	return "--" + string(f)
}

// Args are arguments of a command: words, Flags, and other Args.
type Args []any

// String returns the arguments as on a command line, quoted for a shell if needed.
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

// Command is a command line of hcctl.
type Command struct{ args Args }

// Run returns the command line of an hcctl command such as "create cluster".
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

// As returns c as a user types it, with the name of the program and the global flags before the command.
func (c Command) As(program string, global Args) string {
	return program + " " + append(slices.Clone(global), c.args...).String()
}

// Name returns the first word of c, such as "create"; "" for hcctl without a command.
func (c Command) Name() string {
	if len(c.args) == 0 {
		return ""
	}
	return fmt.Sprint(c.args[0])
}

func (c Command) String() string { return c.As("hcctl", nil) }

// Before returns the part of c before the flag. ok is false if the flag has no value in c.
func (c Command) Before(flag Flag) (before Command, ok bool) {
	at := slices.IndexFunc(c.args, func(arg any) bool { is, ok := arg.(Flag); return ok && is == flag })
	if at < 0 || at == len(c.args)-1 {
		return c, false
	}
	return Command{c.args[:at]}, true
}

// Text returns c as a Text.
func (c Command) Text() Text { return New("%s", c) }

// Text is advice for the user. The zero value is no advice.
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

// IsOC reports whether t begins with an oc command, such as "oc get nodes".
func (t Text) IsOC() bool {
	if first, is := t.first().(Text); is {
		return first.IsOC()
	}
	return strings.HasPrefix(t.format, "oc ")
}

// first returns the argument with which t begins, nil if it begins with words.
func (t Text) first() any {
	if len(t.args) > 0 && strings.HasPrefix(t.format, "%s") {
		return t.args[0]
	}
	return nil
}

// Command returns the command with which t begins.
func (t Text) Command() (c Command, ok bool) {
	c, ok = t.first().(Command)
	return c, ok
}

// Plain returns a Text without commands.
func Plain(text string) Text { return Text{format: text} }

// Join returns the texts with sep between them.
func Join(texts []Text, sep string) Text {
	args := make([]any, 0, len(texts))
	for _, t := range texts {
		args = append(args, t)
	}
	return New(strings.TrimSuffix(strings.Repeat("%s"+sep, len(texts)), sep), args...)
}

// Render returns the text with each command formatted by say.
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

// IsZero reports whether the text is empty.
func (t Text) IsZero() bool { return t.format == "" }

// Replace returns t with a word replaced, such as NAME by the name of a cluster. In a command the word must be a whole
// argument, or the name of a flag.
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
	if len(args) > 0 { // without args the format is the text itself
		words = strings.ReplaceAll(words, "%", "%%")
	}
	return Text{strings.ReplaceAll(t.format, word, words), args}
}

// Equal reports whether both texts render the same.
func (t Text) Equal(u Text) bool { return t.String() == u.String() }

// MarshalText returns the rendered text, for JSON.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads the output of MarshalText.
func (t *Text) UnmarshalText(text []byte) error {
	*t = Plain(string(text))
	return nil
}

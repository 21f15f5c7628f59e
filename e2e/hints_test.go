package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// grammar is what hcctl docs commands says of a command: its flags, and whether each takes a value.
type grammar struct {
	flags     map[string]bool
	arguments bool
}

var (
	commandHead = regexp.MustCompile(`^## hcctl ([a-z -]+)$`)
	commandForm = regexp.MustCompile(`^    hcctl [a-z -]+(.*)$`)
	flagLine    = regexp.MustCompile(`^ +(?:(-[a-zA-Z]), )?(--[a-z0-9-]+)( [A-Z]+(?:=[A-Z]+)?|\[=[A-Z]+\])?(?:  |$)`)
	// hintLine begins what a user is told to do.
	hintLine = regexp.MustCompile(`(?m)^ *(?:→|Next:|If that does not help:|A role for what this command needs:) (.*)$`)
	// hintCommand is a call of hcctl within a sentence.
	hintCommand = regexp.MustCompile("(?:^|[ (`])hcctl ((?:-[^;,)`]+|[a-z][^;,)`]*))")
	// plainWord may be prose; an argument has a digit, a dash, a slash or a capital letter.
	plainWord   = regexp.MustCompile(`^[a-z]+$`)
	placeholder = regexp.MustCompile(`^[A-Z]{2,}(-[A-Z]+)*$`)
)

// readsOnly are commands that change nothing; other commands get --dry-run if they have it.
var readsOnly = []string{"check", "describe cluster", "describe nodepool", "docs", "events", "explain", "get clusters",
	"get machines", "get nodepools", "get services", "gitops status", "rbac", "status", "support", "timeline", "wait cluster",
	"wait nodepool"}

// hints runs the commands that hcctl tells a user to run, once for each form.
type hints struct {
	once     sync.Once
	commands map[string]grammar
	err      error
	mu       sync.Mutex
	seen     map[string]bool
}

var printedHints = &hints{seen: map[string]bool{}}

// read asks hcctl for its commands.
func (h *hints) read(hcctl string) error {
	h.once.Do(func() {
		h.commands = map[string]grammar{}
		all := map[string]bool{}
		name := ""
		for _, args := range [][]string{{"options"}, {"docs", "commands"}} {
			out, err := exec.Command(hcctl, args...).Output()
			if err != nil {
				h.err = fmt.Errorf("hcctl %s: %w", strings.Join(args, " "), err)
				return
			}
			for _, line := range strings.Split(string(out), "\n") {
				if m := commandHead.FindStringSubmatch(line); m != nil {
					name = m[1]
					h.commands[name] = grammar{flags: map[string]bool{}}
				}
				flags := all
				if name != "" {
					flags = h.commands[name].flags
				}
				if m := commandForm.FindStringSubmatch(line); m != nil && name != "" &&
					strings.HasPrefix(strings.TrimSpace(line), "hcctl "+name) {
					g := h.commands[name]
					g.arguments = g.arguments || strings.Trim(strings.ReplaceAll(m[1], "[flags]", ""), " ") != ""
					h.commands[name] = g
				}
				if m := flagLine.FindStringSubmatch(line); m != nil {
					flags[m[2]] = strings.HasPrefix(m[3], " ")
					if m[1] != "" {
						flags[m[1]] = flags[m[2]]
					}
				}
			}
		}
		for _, g := range h.commands {
			for flag, value := range all {
				g.flags[flag] = value
			}
		}
		if len(h.commands) < 60 {
			h.err = fmt.Errorf("hcctl docs commands has %d commands", len(h.commands))
		}
	})
	return h.err
}

// call cuts a command out of a sentence. It fails for a command or a flag that hcctl does not have. run is false for a
// command with a placeholder, or without the argument that it needs.
func (h *hints) call(sentence string) (name string, args []string, run bool, err error) {
	command, _, _ := strings.Cut(sentence, ". ")
	words := strings.Fields(command)
	at := 0
	take := func(flags map[string]bool) (bool, error) {
		flag, _, given := strings.Cut(strings.TrimRight(words[at], ".:"), "=")
		value, known := flags[flag]
		if !known {
			return false, fmt.Errorf("there is no flag %s", flag)
		}
		args = append(args, strings.TrimRight(words[at], ".:"))
		if at++; value && !given && at < len(words) {
			args = append(args, strings.Trim(words[at], ".:'"))
			at++
		}
		return true, nil
	}
	for at < len(words) && strings.HasPrefix(words[at], "-") {
		if _, err := take(h.commands["status"].flags); err != nil {
			return "", nil, false, err
		}
	}
	for length := 2; length > 0; length-- {
		if at+length > len(words) {
			continue
		}
		candidate := strings.TrimRight(strings.Join(words[at:at+length], " "), ".:")
		if _, known := h.commands[candidate]; known {
			name = candidate
			break
		}
	}
	if name == "" {
		return "", nil, false, nil // a sentence about hcctl
	}
	at += strings.Count(name, " ") + 1
	args = append(strings.Fields(name), args...)
	g := h.commands[name]
	for ; at < len(words); at++ {
		word := strings.Trim(words[at], ".:'")
		switch {
		case word == "--" || word == "--help":
			return name, args, false, nil
		case strings.HasPrefix(words[at], "-"):
			if _, err := take(g.flags); err != nil {
				return name, args, false, err
			}
			at--
		case !g.arguments, plainWord.MatchString(word) && (at+1 == len(words) || !strings.HasPrefix(words[at+1], "-")):
			return name, args, !slices.ContainsFunc(args, placeholder.MatchString), nil
		default:
			args = append(args, word)
		}
	}
	return name, args, !slices.ContainsFunc(args, placeholder.MatchString), nil
}

// follow runs what the last command of a script printed as hints.
func (h *hints) follow(ts *testscript.TestScript, hcctl string) {
	ts.Check(h.read(hcctl))
	for _, line := range hintLine.FindAllStringSubmatch(ts.ReadFile("stdout")+"\n"+ts.ReadFile("stderr"), -1) {
		for _, m := range hintCommand.FindAllStringSubmatch(line[1], -1) {
			name, args, run, err := h.call(m[1])
			if err != nil {
				ts.Fatalf("the hint %q: hcctl %s: %v", line[1], name, err)
			}
			if reads := slices.Contains(readsOnly, name); run && !reads {
				if _, run = h.commands[name].flags["--dry-run"]; run {
					args = append(args, "--dry-run")
				}
			}
			if run && h.first(name, args) {
				runHint(ts, line[1], hcctl, args)
			}
		}
	}
}

// first reports whether no hint of the same form was run before: the same command with the same flags.
func (h *hints) first(name string, args []string) bool {
	form := []string{name}
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") {
			form = append(form, arg)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	key := strings.Join(form, " ")
	before := h.seen[key]
	h.seen[key] = true
	return !before
}

// runHint fails if hcctl calls its own hint wrong usage. Another exit code is about the cluster.
func runHint(ts *testscript.TestScript, sentence, hcctl string, args []string) {
	if args[0] == "wait" || args[0] == "status" {
		args = append(args, "--timeout", "2s")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, hcctl, args...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	for _, name := range []string{"KUBECONFIG", "HOME", "PATH", "HTTPS_PROXY", "NO_PROXY"} {
		if value := ts.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 2 {
		ts.Fatalf("the hint %q does not work: hcctl %s: %s", sentence, strings.Join(args, " "), out)
	}
}

// TestHintsAreCutOut: a command ends where the sentence goes on, and what hcctl does not know is found.
func TestHintsAreCutOut(t *testing.T) {
	global := map[string]bool{"--context": true, "--namespace": true, "--only": true, "--for": true, "--yes": false}
	h := &hints{commands: map[string]grammar{"check": {global, true}, "status": {global, true}, "docs": {global, true},
		"delete cluster": {global, true}, "bootstrap": {global, false}, "rbac": {global, false}}}
	for sentence, want := range map[string]string{
		"check --only load-balancer says whether an address is free": "check --only load-balancer true",
		"--context lab status kv-00 --namespace dev":                 "status --context lab kv-00 --namespace dev true",
		"status kv-00 says more":                                     "status kv-00 true",
		"bootstrap. It installs the 5 that are missing":              "bootstrap true",
		"delete cluster NAME":                                        "delete cluster NAME false",
		"rbac --for login --namespace dev":                           "rbac --for login --namespace dev true",
		"creates clusters":                                           " false",
	} {
		_, args, run, err := h.call(sentence)
		if got := fmt.Sprintf("%s %t", strings.Join(args, " "), run); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", sentence, got, err, want)
		}
	}
	if _, _, _, err := h.call("check --nope x"); err == nil {
		t.Error("an unknown flag is taken")
	}
	line := hintLine.FindStringSubmatch("x\n  → hcctl check; then hcctl bootstrap, or give --file\n")
	if line == nil || len(hintCommand.FindAllString(line[1], -1)) != 2 {
		t.Errorf("commands of a line: %q", line)
	}
}

package update

import (
	"strings"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// Wanted is a field of an existing object that differs from the requested value: its path, such as
// "spec.nodeSelector.role", and that value.
type Wanted struct{ Field, Value string }

// ClusterCommands returns the commands that set these values in a HostedCluster. A file or a list is named VALUE.
func ClusterCommands(namespace, name string, all []Wanted) []hint.Text {
	return commands(all, hostedcluster.HostedClusterKind, options.Fields(), hint.Run("update cluster", "NAME"),
		func(t hint.Text) hint.Text {
			if _, own := t.Command(); own {
				return t.Replace("NAME", hostedcluster.Argument(namespace, name))
			}
			return t.Replace("NAME", name)
		})
}

// PoolCommands returns the commands that set these values in a NodePool.
func PoolCommands(namespace, pool string, all []Wanted) []hint.Text {
	return commands(all, "NodePool", options.NodePoolFields(), hint.Run("update nodepool", "POOL"),
		func(t hint.Text) hint.Text { return t.Replace("POOL", hostedcluster.Argument(namespace, pool)) })
}

// commands combines the values of one command into one line. update is the command for fields that update can change;
// the rows of others name theirs. Commands that create an object are left out.
func commands(all []Wanted, kind string, known []options.Field, update hint.Command,
	named func(hint.Text) hint.Text) []hint.Text {
	var lines []hint.Text
	at := map[string]int{}
	flags := map[string]bool{}
	for _, want := range all {
		field, value, ok := flagFor(want, kind, known)
		if !ok {
			continue
		}
		line, takesFlag := update.Text(), true
		if _, way := field.Refusal(); !way.IsZero() {
			if line, takesFlag = way, false; !field.Command.IsZero() {
				line = field.Command
			}
			if c, own := line.Command(); own {
				if c, takesFlag = c.Before(hint.Flag(field.Flag)); takesFlag {
					line = c.Text()
				}
			}
		}
		if c, own := line.Command(); own && c.Name() == "create" {
			continue
		}
		text := named(line).Replace("VALUE", value)
		key := text.String()
		if _, is := at[key]; !is {
			at[key], lines = len(lines), append(lines, text)
		}
		if flag := key + hint.Flag(field.Flag).String() + value; takesFlag && !flags[flag] {
			flags[flag] = true
			line, _ := lines[at[key]].Command()
			lines[at[key]] = line.Flag(field.Flag, value).Text()
		}
	}
	return lines
}

// flagFor returns the option that writes a field, and the value of its flag.
func flagFor(want Wanted, kind string, known []options.Field) (options.Field, string, bool) {
	for _, f := range known {
		path := strings.Join(f.Path(kind), ".")
		key, inside := strings.CutPrefix(want.Field, path+".")
		if f.Flag == "" || path == "" || want.Field != path && !inside {
			continue
		}
		if strings.HasPrefix(want.Value, "[") || strings.HasPrefix(want.Value, "{") || f.Example != "" &&
			strings.HasSuffix(f.Example, ".yaml") {
			return f, "VALUE", true
		}
		if inside {
			return f, key + "=" + want.Value, true
		}
		return f, want.Value, true
	}
	return options.Field{}, "", false
}

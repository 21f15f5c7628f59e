package update

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// Wanted is a field of an existing object that is not as a create asks for: its path, such as "spec.nodeSelector.role",
// and the value asked for.
type Wanted struct{ Field, Value string }

// ClusterCommands are the commands that give a HostedCluster these values. They name a file or a list as VALUE.
func ClusterCommands(namespace, name string, all []Wanted) []string {
	return commands(all, hostedcluster.HostedClusterKind, options.Fields(), "hcctl update cluster NAME",
		strings.NewReplacer("cluster NAME", "cluster "+hostedcluster.Argument(namespace, name), "NAME", name))
}

// PoolCommands are the commands that give a NodePool these values.
func PoolCommands(namespace, pool string, all []Wanted) []string {
	return commands(all, "NodePool", options.NodePoolFields(), "hcctl update nodepool POOL",
		strings.NewReplacer("POOL", hostedcluster.Argument(namespace, pool)))
}

// commands puts the values of one command into one line. update is the command for fields that update changes; the
// others have theirs in their rows. One that creates something changes nothing.
func commands(all []Wanted, kind string, known []options.Field, update string, names *strings.Replacer) []string {
	var lines []string
	flags := map[string]string{}
	for _, want := range all {
		field, value, ok := flagFor(want, kind, known)
		if !ok {
			continue
		}
		line, takesFlag := update, true
		if _, way := field.Refusal(); way != "" {
			line, _, takesFlag = strings.Cut(cmp.Or(field.Command, way), " --"+field.Flag+" ")
		}
		if strings.HasPrefix(line, "hcctl create ") {
			continue
		}
		line = strings.ReplaceAll(names.Replace(line), "VALUE", value)
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
		flag := " --" + field.Flag + " " + value
		if takesFlag && !strings.Contains(flags[line], flag) {
			flags[line] += flag
		}
	}
	for i, line := range lines {
		lines[i] = line + flags[line]
	}
	return lines
}

// flagFor is the option that writes a field, and the value of its flag.
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
			return f, sanitize.Word(key + "=" + want.Value), true
		}
		return f, sanitize.Word(want.Value), true
	}
	return options.Field{}, "", false
}

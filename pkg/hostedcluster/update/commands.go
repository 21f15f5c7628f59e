package update

import (
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/fields"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// Wanted is a field of an existing object that is not as a create asks for: its path, such as "spec.nodeSelector.role",
// and the value asked for.
type Wanted struct{ Field, Value string }

// ClusterCommands are the commands that give a HostedCluster these values. They name a file or a list as VALUE.
func ClusterCommands(namespace, name string, all []Wanted) []string {
	at := hostedcluster.Argument(namespace, name)
	fields := options.Fields()
	return commands(all, hostedcluster.HostedClusterKind, fields, func(f options.Field, value string) (string, bool) {
		if _, changeable := effects[f.Name]; changeable {
			return "hcctl update cluster " + at, true
		}
		switch f.Name {
		case "releaseImage", "channel":
			return "hcctl upgrade cluster " + at, true
		case "pausedUntil":
			return "hcctl pause cluster " + at + " --until " + value, false
		}
		return strings.NewReplacer("NAMESPACE", namespace, "NAME", name).Replace(elsewhere[f.Name].way), false
	})
}

// PoolCommands are the commands that give a NodePool these values.
func PoolCommands(namespace, pool string, all []Wanted) []string {
	at := hostedcluster.Argument(namespace, pool)
	return commands(all, "NodePool", options.NodePoolFields(), func(f options.Field, _ string) (string, bool) {
		switch f.Name {
		case "replicas", "minReplicas", "maxReplicas":
			return "hcctl scale nodepool " + at, true
		case "releaseImage":
			return "hcctl upgrade nodepool " + at, true
		case "config":
			return "", false
		}
		return "hcctl update nodepool " + at, true
	})
}

// commands puts the values of one command into one line. of returns the command for a field, and whether it takes the
// field's flag.
func commands(all []Wanted, kind string, known []options.Field,
	of func(options.Field, string) (string, bool)) []string {
	var lines []string
	flags := map[string]string{}
	for _, want := range all {
		field, value, ok := flagFor(want, kind, known)
		if !ok {
			continue
		}
		line, takesFlag := of(field, value)
		if line == "" {
			continue
		}
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
		path := strings.Join(fields.Keys(f.Writes, kind), ".")
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

package config

import (
	"reflect"
	"strings"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// clusterFields returns the fields of a Cluster document. The fields of spec are the options of a cluster.
func clusterFields(known []options.Field) table {
	return append(table{
		{Name: "apiVersion", Text: "version of this document", Values: []string{APIVersion}},
		{Name: "kind", Text: "kind of this document", Values: []string{KindCluster}},
	}, bodyFields(known, "", true)...)
}

// fleetFields returns the fields of a Fleet document.
func fleetFields() table {
	t := table{
		{Name: "apiVersion", Text: "version of this document", Values: []string{APIVersion}},
		{Name: "kind", Text: "kind of this document", Values: []string{KindFleet}},
		{Name: "defaults", Text: "defaults for every cluster"},
	}
	t = append(t, bodyFields(options.Fields(), "defaults", false)...)
	t = append(t, Field{Name: "defaults.nodePool", Text: "defaults for every node pool"})
	t = append(t, poolFields("defaults.nodePool")...)
	t = append(t,
		Field{Name: "clusters", Text: "the clusters"},
		Field{Name: "clusters[].count",
			Text: "creates that many clusters; the name then needs a pattern for the number, such as kv-%03d"},
		Field{Name: "clusters[].first", Text: "number of the first of them"},
		Field{Name: "clusters[].environments", Text: "environments that have this cluster; by default all"},
	)
	t = append(t, bodyFields(options.Fields(), "clusters[]", true)...)
	t = append(t,
		Field{Name: "environments", Text: "environments, such as dev and prod; --env chooses one"},
		Field{Name: "environments.*", Text: "what differs in this environment; it wins over defaults and clusters"},
	)
	t = append(t, bodyFields(options.Fields(), "environments.*", false)...)
	t = append(t, Field{Name: "environments.*.nodePool", Text: "what differs in every node pool"})
	return append(t, poolFields("environments.*.nodePool")...)
}

// bodyFields returns the fields of a clusterBody at the path within. named adds metadata.name.
func bodyFields(known []options.Field, within string, named bool) table {
	t := table{{Name: join(within, "metadata"), Text: "name, namespace, labels and annotations of the HostedCluster"}}
	if named {
		t = append(t, Field{Name: join(within, "metadata.name"), Flag: "name", Text: "name of the hosted cluster"})
	}
	t = append(t,
		Field{Name: join(within, "metadata.namespace"), Flag: "namespace",
			Text: "namespace of the HostedCluster and of the objects that belong to it"},
		Field{Name: join(within, "metadata.labels"), Text: "labels of the HostedCluster"},
		Field{Name: join(within, "metadata.labels.*"), Text: "one label"},
		Field{Name: join(within, "metadata.annotations"), Text: "annotations of the HostedCluster"},
		Field{Name: join(within, "metadata.annotations.*"), Text: "one annotation"},
		Field{Name: join(within, "spec"), Text: "options of the cluster"},
	)
	var services table
	for _, f := range options.ServiceHeadings() {
		services = append(services, Field{Name: join(within, "spec."+f.Name), Text: f.Text})
	}
	for _, f := range known {
		path := clusterPath(f)
		if !strings.HasPrefix(path, "spec.") {
			continue
		}
		rows := fieldsFor(join(within, path), f, f.Flag, reflect.TypeFor[options.Cluster]())
		if strings.HasPrefix(f.Name, "services.") {
			services = append(services, rows...)
			continue
		}
		t = append(t, rows...)
	}
	t = append(t, Field{Name: join(within, "spec.nodePools"), Text: "pools of workers; by default one"})
	t = append(t, poolFields(join(within, "spec.nodePools[]"))...)
	return append(t, services...) // last, because a misplaced field is more likely one of a pool
}

// poolFields returns the fields of one pool.
func poolFields(within string) table {
	var t table
	if !strings.HasSuffix(within, ".nodePool") {
		t = append(t, Field{Name: join(within, "name"), Text: "name of the NodePool; by default the cluster's name, " +
			"which only one pool can have"})
	}
	for _, f := range options.NodePoolFields() {
		if f.Name != "name" {
			t = append(t, fieldsFor(join(within, f.Name), f, options.ClusterFlag(f.Flag),
				reflect.TypeFor[options.NodePool]())...)
		}
	}
	return t
}

// fieldsFor returns the rows of an option: one, or two if it is a map.
func fieldsFor(path string, f options.Field, flag string, in reflect.Type) table {
	rows := table{{Name: path, Flag: flag, Text: f.Text, Values: f.Values, Inline: f.Inline}}
	if option.At(reflect.Zero(in), f.Name).Kind() == reflect.Map {
		rows = append(rows, Field{Name: path + ".*", Text: "one entry"})
	}
	return rows
}

// clusterPath returns the path of a cluster's option in a Cluster document.
func clusterPath(f options.Field) string {
	if f.Name == "labels" || f.Name == "annotations" {
		return "metadata." + f.Name
	}
	return "spec." + f.Name
}

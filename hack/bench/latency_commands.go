package main

import "time"

// goalRoundTrip is the round trip for which the goals are set.
const goalRoundTrip = 100 * time.Millisecond

// latencyCommand is a command to measure. NAME in the arguments is replaced by a new hosted cluster's name.
type latencyCommand struct {
	Name string
	Args []string
	// Peer are the arguments of the other program, Tool, for the same task.
	Tool string
	Peer []string
	// Exit is the exit code of success beside 0.
	Exit int
	// Deletes means that the cluster has to exist before; it is created directly.
	Deletes bool
	// Goal is the time limit at goalRoundTrip until the HostedCluster is written or, without Written, until the end; 0
	// means none.
	Goal    time.Duration
	Written bool
	// Before and After limit the requests before the first write and after it, Total limits all; noLimit means none.
	Before, After, Total int
}

const noLimit = -1

// latencyCommands returns the commands in the order of the report.
func latencyCommands() []latencyCommand {
	second := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	reads := func(name string, goal float64, args ...string) latencyCommand {
		return latencyCommand{Name: name, Args: args, Goal: second(goal), Before: noLimit, After: noLimit,
			Total: noLimit}
	}
	get := reads("get clusters", 0, "get", "clusters", "-A")
	get.Tool, get.Peer = contenderKubectl, []string{"get", "hostedclusters.hypershift.openshift.io", "-A"}
	version, help := reads("version", 0, "version"), reads("--help", 0, "--help")
	version.Before, help.Before = 0, 0
	flags := []string{"--name", "NAME", "--namespace", namespace, "--pull-secret", "PULLSECRET", "--release-image",
		"quay.io/openshift-release-dev/ocp-release:4.20.8-multi", "--node-pool-replicas", "2", "--memory", "8Gi", "--cores",
		"2"}
	create := latencyCommand{Name: "create",
		Args: []string{"create", "cluster", "--name", "NAME", "--wait", "none", "--yes"}, Tool: contenderHcp,
		Peer: append([]string{"create", "cluster", "kubevirt"}, flags...),
		Goal: second(1.4), Written: true, Before: 40, After: 25, Total: noLimit}
	dry := reads("create --dry-run=server", 1.6, "create", "cluster", "--name", "NAME", "--dry-run=server")
	dry.Exit = 6
	remove := latencyCommand{Name: "delete", Args: []string{"delete", "cluster", "NAME", "--yes"}, Deletes: true,
		Tool: contenderHcp, Peer: []string{"destroy", "cluster", "kubevirt", "--name", "NAME", "--namespace", namespace},
		Before: noLimit, After: noLimit, Total: 60}
	one, all := reads("status of one", 0.5, "status", followed), reads("status of all", 0, "status")
	// Other clusters, and what is simulated, need not be well.
	one.Exit, all.Exit = 3, 3
	return []latencyCommand{
		version, help, get, one, all,
		reads("check", 0.7, "check"),
		create, dry, remove,
		reads("releases on offer", 0, "upgrade", "cluster", followed),
		reads("kubeconfig", 0, "kubeconfig", followed),
		reads("exec", 0, "exec", followed, "--", "true"),
		reads("completion of a name", 0.4, "__complete", "status", ""),
	}
}

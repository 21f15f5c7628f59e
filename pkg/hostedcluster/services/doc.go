// Package services has the services of a hosted cluster: its network plug-in and other manifests, which are applied
// once its API server answers, and what its users need to reach it.
//
// Each is a value of one type with Check and Apply, which the engine runs alongside the milestones of the cluster.
// create and apply run them each time: only what is missing is written.
package services

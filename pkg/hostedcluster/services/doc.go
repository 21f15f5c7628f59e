// Package services are what a hosted cluster gets once its API server answers: its network plug-in and other manifests,
// and what people use to reach it.
//
// Each is a value of one type with Check and Apply, run by the engine beside the milestones of the cluster. create and
// apply run them, whenever they are called: what is missing is written, and nothing else.
package services

// Package guestmanifests are the services that consist of manifests for the hosted cluster itself: its network plug-in,
// and what else it has to have early.
package guestmanifests

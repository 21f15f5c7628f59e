// Package guestmanifests has the services that apply manifests in the hosted cluster itself: its network plug-in, and
// other manifests that it needs early.
package guestmanifests

// Package jumphost is the service that lets users without rights on the management cluster reach the nodes and the API
// server of one hosted cluster: an SSH server with an address of its own, and an image that the user chooses.
package jumphost

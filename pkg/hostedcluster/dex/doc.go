// Package dex reads the configuration file of Dex, an OpenID Connect provider, in Dex's own format.
//
// It checks what hcctl and a login depend on: issuer, TLS, storage, connectors, clients, passwords. Everything else is
// passed on, and Dex itself rejects unknown fields (StrictFields). Render adds the settings of a deployment: the
// address, the certificate, and clients.
package dex

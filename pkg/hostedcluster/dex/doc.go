// Package dex reads the configuration file of Dex, an OpenID Connect provider, in Dex's own format.
//
// Dex ignores a field that it does not know, so that a misspelled connector works differently from what was meant. Here
// every field is checked against those that Dex's source has (fields.tsv), with its type and, where there are few, its
// values. Render adds what belongs to a deployment: the address, the certificate, and clients.
package dex

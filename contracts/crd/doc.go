// Package crd makes the schemas of CRDs from the tables of package contracts, and holds objects to them as an API
// server does under strict validation.
package crd

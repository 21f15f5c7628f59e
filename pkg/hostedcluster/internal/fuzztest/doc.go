// Package fuzztest has what the fuzz tests of parsers share.
package fuzztest

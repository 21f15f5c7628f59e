// Package fuzztest has the helpers that the fuzz tests of parsers share.
package fuzztest

// Package picture has the commands that draw: timeline and graph.
package picture

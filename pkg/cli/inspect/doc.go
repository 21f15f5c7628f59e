// Package inspect has the commands that show why a hosted cluster is as it is: events, logs and explain.
package inspect

// Package diagnosis holds what hcctl says of hosted clusters that are not well. See docs/dev/diagnosis.md.
package diagnosis

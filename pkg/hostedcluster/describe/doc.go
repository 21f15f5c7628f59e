// Package describe gathers what is worth knowing of one hosted cluster or node pool: its settings in the words of
// hcctl's options, its conditions with the bad ones first, and what belongs to it. It only reads, and no Secret.
package describe

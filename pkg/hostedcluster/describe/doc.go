// Package describe collects the important facts about one hosted cluster or node pool: its settings as hcctl's options,
// its conditions with the bad ones first, and its related objects. It only reads, and reads no Secret.
package describe

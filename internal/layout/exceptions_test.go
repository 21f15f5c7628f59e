package layout_test

// stillToSplit are the packages that have too many files today, with how many they may have. It only shrinks.
var stillToSplit = map[string]int{}

// stillToRename are files and folders with a name that is not allowed any more. It only shrinks.
var stillToRename = []string{
	"internal/printable",
	"internal/printable/printable.go",
	"internal/printable/printable_test.go",
}

package layout_test

// stillToSplit are the packages that have too many files today, with how many they may have. It only shrinks.
var stillToSplit = map[string]int{}

// stillToRename are files and folders with a name that is not allowed any more. It only shrinks.
var stillToRename = []string{
	"internal/near",
	"internal/near/near.go",
	"internal/near/near_test.go",
	"internal/printable",
	"internal/printable/printable.go",
	"internal/printable/printable_test.go",
	"pkg/cli/here_test.go",
	"pkg/cli/printable_test.go",
	"pkg/density/signs.go",
	"pkg/density/signs_test.go",
	"pkg/density/watchman.go",
	"pkg/dump/nameless_linux.go",
	"pkg/dump/nameless_other.go",
	"pkg/kube/raw_pages_test.go",
	"pkg/step/turns.go",
	"pkg/step/turns_test.go",
}

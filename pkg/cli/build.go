package cli

// version is set by the linker from the repository's tags.
var version = "devel"

package options

// The types of options that are not plain ones. What reads options, from flags or from a file, goes by them.

// File is a file that an option names. In a Cluster file and on the command line it is a path.
type File struct {
	// Path as it was given, "-" for standard input; empty means no file.
	Path string
	// Content is what was in it, once it has been read.
	Content []byte
}

// Given tells whether there is a file.
func (f File) Given() bool { return f.Path != "" || len(f.Content) > 0 }

// Files are several files; on the command line the flag is repeated.
type Files []File

// List is a list of words; on the command line they are separated by commas, or the flag is repeated. A []string is for
// values that may have commas in themselves: there the flag is repeated.
type List []string

// Annotations are as a map of strings; on the command line the flag is repeated, as values may have commas in
// themselves.
type Annotations map[string]string

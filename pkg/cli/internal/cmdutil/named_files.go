package cmdutil

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/internal/document"
	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/internal/safefile"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/credentials"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube/manifests"
)

// filesFromFlag is the flag that allows files outside the directory of the document.
const filesFromFlag = "allow-files-from"

// allowKindFlag is the flag that allows further kinds of objects in manifests.
const allowKindFlag = "allow-kind"

// BindAllowed adds the flags that allow what documents may not allow themselves: files outside their own
// directory, and further kinds of manifests.
func (f *Files) BindAllowed(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.AllowKinds, allowKindFlag, nil, "kind, such as Role.rbac.authorization.k8s.io, that "+
		"--manifests may have beside Secrets and ConfigMaps (repeatable)")
	flags.StringArrayVar(&f.FilesFrom, filesFromFlag, nil, "directory, beside that of the file given with --file, whose "+
		"files it may name (repeatable)")
}

// IdleAllowances returns an error for a flag of BindAllowed that has nothing to allow.
func IdleAllowances(given *pflag.FlagSet, document string, manifests options.Files) error {
	switch {
	case given.Changed(filesFromFlag) && document == "":
		return fmt.Errorf("--%s: has no effect without --file", filesFromFlag)
	case given.Changed(allowKindFlag) && len(manifests) == 0:
		return fmt.Errorf("--%s: has no effect without --manifests", allowKindFlag)
	}
	return nil
}

// readField reads the file of a field, or the manifests in its directory if the field takes one. A document
// names files of its own directory only, and no field takes a credential that hcctl uses.
func (f *Files) readField(field options.Field, file *options.File) (err error) {
	tree := f.namedFiles(field.Name, file.Directory)
	if file.Directory == "" {
		tree.Directories = append(tree.Directories, file.Path)
	}
	if file.Path == "-" || file.Directory == "" && (!field.Directory || !isDirectory(file.Path)) {
		return f.readTyped(tree, file)
	}
	if info, stat := tree.Stat(file.Path); field.Directory && stat == nil && info.IsDir() {
		file.Parts, err = manifests.Collect(file.Path, tree)
	} else {
		file.Content, err = tree.Read(file.Path, maxInputBytes)
	}
	switch {
	case err != nil:
		return unread(err)
	case file.Content != nil:
		if file.Content, err = document.Text(file.Content); err != nil {
			return err
		}
	}
	if file.Parts == nil && len(file.Content) == 0 {
		return errors.New(emptyFile(file.Path))
	}
	if note := fmt.Sprintf("%s has the content of %s", field.Name, file.Path); file.Directory != "" &&
		!slices.Contains(f.read, note) {
		f.read = append(f.read, note)
	}
	return nil
}

// readTyped reads a file that the command line names, which may be a FIFO or standard input.
func (f *Files) readTyped(tree safefile.Tree, file *options.File) (err error) {
	if file.Content, err = f.File("", file.Path); err != nil {
		return err
	}
	var info fs.FileInfo
	if file.Path != "-" {
		if info, err = os.Stat(file.Path); err != nil {
			return err
		}
	}
	if err := tree.Check(file.Path, info, file.Content); err != nil {
		return err
	}
	file.Content, err = document.Text(file.Content)
	return err
}

// namedFiles returns the files that a field of a document in that directory may name. An empty directory means
// the command line.
func (f *Files) namedFiles(field, directory string) safefile.Tree {
	tree := safefile.Tree{Directories: slices.Clone(f.FilesFrom)}
	if directory != "" {
		tree.Directories = slices.Insert(tree.Directories, 0, directory)
	}
	tree.Check = func(path string, info fs.FileInfo, data []byte) error {
		if f.inUse == nil {
			f.inUse = credentials.Read(KubeconfigFiles(f.call, ""), &f.call.KubeFlags.Overrides.AuthInfo, f.getenv)
		}
		found := f.inUse.Find(info, data)
		if found == "" || madeFor(field, found, directory == "") {
			return nil
		}
		return &credentialError{path, found}
	}
	return tree
}

// credentialError means that a file is or contains a credential that hcctl uses.
type credentialError struct {
	path string
	kind credentials.Kind
}

func (e *credentialError) Error() string {
	return fmt.Sprintf("%s is or contains %s, and whoever reads the cluster would have it", e.path, e.kind)
}

// Hint returns what to do instead.
func (*credentialError) Hint() hint.Text { return hint.New("give a file that was made for this field") }

// madeFor reports whether a field takes this kind of credential. typed is true if the command line names the
// file.
func madeFor(field string, kind credentials.Kind, typed bool) bool {
	switch kind {
	case credentials.RegistryLogin:
		return field == "pullSecret" || field == "manifests" && typed
	case credentials.Kubeconfig:
		return field == "infraKubeconfigFile" && typed
	case credentials.SSHKey, credentials.PodToken, credentials.BackupKey:
	}
	return false
}

// unread adds to an error about a file in another directory how to allow it.
func unread(err error) error {
	var outside *safefile.OutsideError
	var refused *credentialError
	switch {
	case errors.As(err, &refused):
		return refused
	case !errors.As(err, &outside):
		return fmt.Errorf("cannot read it: %w", err)
	}
	return WithHint(outside, "a file names files of its own directory only; if you trust it with another, add "+
		"--%s %s", filesFromFlag, sanitize.Word(filepath.Dir(outside.Path)))
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// filesAt returns the files that an option names.
func filesAt(value any) []*options.File {
	switch at := value.(type) {
	case *options.File:
		return []*options.File{at}
	case *options.Files:
		var all []*options.File
		for i := range *at {
			all = append(all, &(*at)[i])
		}
		return all
	}
	return nil
}

// DirectoriesBeside returns the directories outside that of a document whose files the document would name with
// these options.
func DirectoriesBeside(o *options.Cluster, directory string) []string {
	var all []string
	add := func(fields []options.Field, values any) {
		for _, field := range fields {
			for _, file := range filesAt(option.At(reflect.ValueOf(values).Elem(), field.Name).Addr().Interface()) {
				if beside := filepath.Dir(file.Path); file.Path != "" && file.Path != "-" &&
					!safefile.Below(directory, file.Path) && !slices.Contains(all, beside) {
					all = append(all, beside)
				}
			}
		}
	}
	add(options.Fields(), o)
	for i := range o.NodePools {
		add(options.NodePoolFields(), &o.NodePools[i])
	}
	return all
}

// fieldError returns err as an error about the file of a field.
func fieldError(err error, field string, pool *int) error {
	out := &options.Error{Field: field, Pool: pool, Detail: strings.TrimPrefix(err.Error(), ": ")}
	out.Next = failure.Hint(err)
	return out
}

// ReadFields reads the files that the options name. pool is the index of the options' node pool, nil for the
// options of the cluster. The error is an *options.Error.
func (f *Files) ReadFields(fields []options.Field, values any, pool *int) error {
	v := reflect.ValueOf(values).Elem()
	for _, field := range fields {
		for _, file := range filesAt(option.At(v, field.Name).Addr().Interface()) {
			if file.Path == "" || file.Content != nil || file.Parts != nil {
				continue
			}
			if err := f.readField(field, file); err != nil {
				return fieldError(err, field.Name, pool)
			}
		}
	}
	return nil
}

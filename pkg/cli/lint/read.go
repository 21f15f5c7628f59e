package lint

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hcctl/hcctl/internal/document"
	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/pkg/cli/apply"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster/convert"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// input is the content of the files.
type input struct {
	files []string
	// own lists the files with hcctl's documents of clusters.
	own []string
	// settings is set if a file has the settings of bootstrap.
	settings bool
	clusters []options.Cluster
	findings []finding
	// objects are the objects of HyperShift and others, documents the clusters in hcctl's own documents.
	objects   []convert.Object
	documents []ownCluster
	// releases are the HyperShift releases that the files were checked against, by cluster.
	releases []release
	// wanted are the valid clusters. notCompared is why the clusters of the files are not compared with a
	// cluster.
	wanted      []fleet.DesiredCluster
	places      []string
	notCompared string
	// converted are the clusters of objects, others the objects that belong to no cluster.
	converted []convert.Cluster
	others    []convert.Object
}

// readFiles reads all files. It returns an error only for a file that cannot be read at all.
func readFiles(a *cmdutil.Factory, paths []string, env string) (*input, error) {
	in := &input{}
	for _, path := range paths {
		names, err := cmdutil.FilesOf(path)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			data, err := a.Files.File("lint", name)
			if err != nil {
				return nil, err
			}
			title, directory := "standard input", "."
			if name != "-" {
				title, directory = name, filepath.Dir(name)
			}
			in.files = append(in.files, title)
			docs, err := document.Read(data)
			var wrong *document.Error
			if errors.As(err, &wrong) {
				return nil, errors.New(finding{File: title, Line: wrong.Line}.place() + ": " + wrong.Message)
			} else if err != nil {
				return nil, err
			}
			if config.IsOwn(docs[0].Root) {
				in.ownDocuments(a, name, title, directory, data, env)
				continue
			}
			in.objects = append(in.objects, in.objectsOf(title, docs)...)
		}
	}
	if env != "" && len(in.own) == 0 {
		return nil, fmt.Errorf("--env %s: no file has environments", env)
	}
	return in, nil
}

func (in *input) objectsOf(title string, docs []document.Document) (all []convert.Object) {
	for _, d := range docs {
		objects, err := d.Objects()
		var wrong *document.Error
		if errors.As(err, &wrong) {
			in.findings = append(in.findings, finding{File: title, Line: wrong.Line, Severity: asError, Message: wrong.Message})
			continue
		}
		for _, o := range objects {
			all = append(all, convert.Object{Object: o, File: title})
		}
	}
	return all
}

// ownDocuments reads a file with hcctl's own documents, in each of its environments.
func (in *input) ownDocuments(a *cmdutil.Factory, path, title, directory string, data []byte, env string) {
	if config.KindOf(data) == config.Kind {
		in.settings = true
		f, err := config.Parse(title, directory, data)
		if err == nil {
			if _, err = f.Validate(); err != nil {
				if located := f.Locate(err); located != nil {
					err = located
				}
			}
		}
		in.addError(title, err)
		return
	}
	in.own = append(in.own, path)
	environments, err := config.Environments(title, data)
	if err != nil {
		in.addError(title, err)
		return
	}
	compared := env != "" || len(environments) == 0
	if env != "" || len(environments) == 0 {
		environments = []string{env}
	} else {
		in.notCompared = "the files have environments, and --env names none"
	}
	for _, name := range environments {
		clusters, err := config.ParseClusters(title, directory, data, name)
		if err != nil {
			in.addError(title, err)
			return
		}
		for _, c := range clusters {
			c.Options.Wait = options.WaitNone // a file does not set how long to wait
			valid, err := cmdutil.ReadClusters(a.Files, []*config.Cluster{c})
			in.clusters = append(in.clusters, c.Options)
			if in.addError(title, err); err == nil {
				in.documents = append(in.documents, ownCluster{c, valid[0], title})
			}
			if err == nil && compared {
				in.wanted = append(in.wanted, fleet.DesiredCluster{Options: valid[0], Environment: name, Adjust: apply.Adjusts(c)})
				in.places = append(in.places, c.Where())
			}
		}
	}
}

// addError adds findings for an error, with the lines that it names.
func (in *input) addError(title string, err error) {
	if joined, many := err.(interface{ Unwrap() []error }); many {
		for _, one := range joined.Unwrap() {
			in.addError(title, one)
		}
		return
	}
	if err == nil {
		return
	}
	f := finding{File: title, Severity: asError}
	var located *config.Error
	if errors.As(err, &located) {
		f.File, f.Line, f.Field = located.File, located.Line, located.Path
		f.Message = strings.TrimPrefix(located.Message, ": ")
	} else {
		f.Message = cmdutil.NameFlags(err).Error()
	}
	f.Next = failure.Hint(err).String()
	for _, same := range in.findings {
		if same == f {
			return // several clusters share this line
		}
	}
	in.findings = append(in.findings, f)
}

// vendorObjects reads HostedClusters and NodePools, which may be in several files.
func (in *input) vendorObjects(of convert.Release) {
	objects := in.objects
	var found []convert.Finding
	in.converted, in.others, found = convert.Clusters(objects, of)
	if len(in.converted) == 0 && len(objects) > 0 && len(in.own) == 0 {
		in.findings = append(in.findings, finding{File: objects[0].File, Line: objects[0].Line, Severity: asError,
			Message: "no HostedCluster is among the objects, nor a document of hcctl"})
	} else if len(objects)+len(in.own)+len(in.findings) == 0 && !in.settings {
		in.findings = append(in.findings, finding{File: in.files[0], Severity: asError,
			Message: "there are no objects in it, nor a document of hcctl"})
	}
	for _, c := range in.converted {
		in.clusters = append(in.clusters, c.Options)
		in.releases = append(in.releases, releaseOf(c.Options, c.Release))
		right := true
		for _, f := range c.Findings {
			right = right && f.Note
		}
		found = append(found, c.Findings...)
		if valid, err := c.Options.Validate(); right && err == nil {
			in.wanted = append(in.wanted, fleet.DesiredCluster{Options: valid})
			in.places = append(in.places, c.Where)
		}
	}
	for _, f := range found {
		severity := asError
		if f.Note {
			severity = asNote
		}
		in.findings = append(in.findings, finding{File: f.File, Line: f.Line, Object: f.Object, Field: f.Field,
			Severity: severity, Message: cmp.Or(f.Message, "cannot be read"), Next: f.Next.String()})
	}
}

// The modules of which tests read files, and of which nothing is compiled. Their directories come from go mod download.
module github.com/hcctl/hcctl/hack/suites

go 1.26.3

require github.com/open-policy-agent/opa v1.17.1

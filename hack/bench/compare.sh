#!/usr/bin/env bash
# Compares start, size and render of bin/hcctl with those of another commit: compare.sh COMMIT. Both run in turn, so that
# whatever else the machine does affects both. `make bench-compare` calls it.
set -euo pipefail
cd "$(dirname "$0")/../.."
against=${1:-HEAD~1}
if ! commit=$(git rev-parse --verify --quiet "$against^{commit}"); then
	echo "There is no $against here (is this a shallow clone?): nothing to compare with."
	exit 0
fi
dir=$(mktemp -d)
clean() {
	git worktree remove --force "$dir/tree" 2>/dev/null || true
	rm -rf "$dir"
}
trap clean EXIT
git worktree add --quiet --detach "$dir/tree" "$commit"
(cd "$dir/tree" && go build -ldflags '-s -w -X github.com/hcctl/hcctl/pkg/cli.version=before -X github.com/hcctl/hcctl/pkg/cli/internal/cmdutil.Version=before' -o "$dir/before" ./cmd/hcctl)
cp bin/hcctl "$dir/now"
go test -c -o "$dir/start.test" ./cmd/hcctl
order=(before now)
for _ in {1..10}; do
	for side in "${order[@]}"; do
		HCCTL_BIN=$dir/$side "$dir/start.test" -test.run '^$' -test.bench . -test.benchtime 2x >>"$dir/$side.txt"
	done
	order=("${order[1]}" "${order[0]}") # who comes first alternates
done
bin/benchstat before="$dir/before.txt" now="$dir/now.txt"

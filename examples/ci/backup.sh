#!/bin/sh
# Backs up hosted clusters: one encrypted file each, which is opened once more before older ones are deleted. For a cron job:
#   0 2 * * * NAMES="kv-00 kv-01" DIRECTORY=/backups PASSPHRASE_FILE=/etc/hcctl/passphrase sh backup.sh
# KEEP is how many days files are kept (14). What failed keeps its older files, and the exit code says so.
set -eu
umask 077
failed=0
for name in $NAMES; do
	mkdir -p "$DIRECTORY/$name"
	file="$DIRECTORY/$name/$(date -u +%Y%m%dT%H%M%SZ)-BACKUP-SECRET.tar.gz.age"
	if hcctl backup "$name" --output-file "$file" --passphrase-file "$PASSPHRASE_FILE" &&
		hcctl restore "$file" --verify --passphrase-file "$PASSPHRASE_FILE"; then
		find "$DIRECTORY/$name" -name '*-BACKUP-SECRET.tar.gz.age' -mtime "+${KEEP:-14}" -delete
	else
		failed=1
	fi
done
exit "$failed"

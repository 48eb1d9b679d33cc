#!/bin/sh
# State transfer between two servers of one machine, called by MariaDB on both sides: the donor copies its data directory
# into the joiner's. What they say to each other goes through the joiner's data directory, which is the joiner's address.
set -eu
role='' address='' data='' gtid='' parent='' bypass=''
while [ $# -gt 0 ]; do
  case $1 in
    --role) role=$2; shift ;;
    --address) address=$2; shift ;;
    --datadir) data=${2%/}; shift ;;
    --gtid) gtid=$2; shift ;;
    --parent) parent=$2; shift ;;
    --bypass) bypass=1 ;;
    --mysqld-args) break ;;
  esac
  shift
done

# Waits a minute for a file; only a joiner knows its server, and waits no longer than that lives.
wait_for() {
  turns=1200
  until [ -s "$1" ]; do
    turns=$((turns - 1))
    [ $turns -gt 0 ] || exit 1
    [ -z "$parent" ] || kill -0 "$parent" 2>/dev/null || exit 1
    sleep 0.05
  done
}

# What is a server's own.
is_own() {
  case ${1##*/} in galera.cache|grastate.dat|gvwstate.dat|tables_flushed|sst_done*) true ;; *) false ;; esac
}

case $role in
  joiner)
    rm -f "$data/sst_done"
    echo "ready $data"
    wait_for "$data/sst_done"
    cat "$data/sst_done"
    rm -f "$data/sst_done" ;;
  donor)
    if [ -z "$bypass" ]; then
      rm -f "$data/tables_flushed"
      echo "flush tables"
      wait_for "$data/tables_flushed"
      gtid=$(cat "$data/tables_flushed")
      for file in "$address"/*; do is_own "$file" || rm -rf "$file"; done
      for file in "$data"/*; do is_own "$file" || cp -R "$file" "$address/"; done
      rm -f "$data/tables_flushed"
      echo continue
    fi
    echo "$gtid" >"$address/sst_done.new"
    mv "$address/sst_done.new" "$address/sst_done"
    echo "done $gtid" ;;
  *) exit 2 ;;
esac

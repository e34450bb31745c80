#!/bin/sh
# Makes the database at the first start, by the variables of the official image: POSTGRES_USER, POSTGRES_PASSWORD or
# POSTGRES_PASSWORD_FILE, POSTGRES_DB, POSTGRES_INITDB_ARGS, PGDATA. Arguments: a command, or options of PostgreSQL.
set -eu

case "${1:-}" in
-* | '') set -- postgres "$@" ;;
esac
if [ "$1" != postgres ]; then exec "$@"; fi

: "${POSTGRES_USER:=postgres}"
: "${POSTGRES_DB:=$POSTGRES_USER}"
if [ -n "${POSTGRES_PASSWORD_FILE:-}" ]; then
  POSTGRES_PASSWORD=$(cat "$POSTGRES_PASSWORD_FILE")
  export POSTGRES_PASSWORD
  unset POSTGRES_PASSWORD_FILE
fi

if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA" /var/run/postgresql
  chmod 700 "$PGDATA"
  chown -R postgres:postgres "$PGDATA" /var/run/postgresql
  exec setpriv --reuid postgres --regid postgres --init-groups -- "$0" "$@"
fi

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  if [ -z "${POSTGRES_PASSWORD:-}" ]; then
    echo 'The database has no password. Set POSTGRES_PASSWORD_FILE.' >&2
    exit 1
  fi
  password=$(mktemp)
  printf '%s\n' "$POSTGRES_PASSWORD" >"$password"
  # shellcheck disable=SC2086 # Several words.
  initdb --username="$POSTGRES_USER" --pwfile="$password" ${POSTGRES_INITDB_ARGS:-} -D "$PGDATA"
  rm "$password"
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl -D "$PGDATA" -o "-c listen_addresses=''" -w start
  if [ "$POSTGRES_DB" != postgres ]; then
    createdb --no-password --username="$POSTGRES_USER" --maintenance-db=postgres "$POSTGRES_DB"
  fi
  pg_ctl -D "$PGDATA" -m fast -w stop
fi
unset POSTGRES_PASSWORD
exec "$@"

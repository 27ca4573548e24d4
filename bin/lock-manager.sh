#!/bin/bash
# A safe replacement of the lock manager script in tower-fleet/lock/v1, section 10.2, with the same functions and arguments.
# Each function calls `tower`, which follows the lock protocol; the original checks first and acts later.
#
#   source lock-manager.sh           instead of the script of the specification
#   lock-manager.sh check NAME       prints stale (exit 0) or active (exit 1)
#
# It finds the home by the same rules as `tower`, once, so that a script may change its directory.

set -euo pipefail

tower_is_home() { [[ -d "$1/intents" && -d "$1/config" ]]; }

# Prints the first of the usual places that this user can use.
tower_usual_home() {
  local at
  for at in /root/tower-fleet /var/lib/tower-executor; do
    if tower_is_home "$at" && [[ -r "$at" && -w "$at" && -x "$at" ]]; then
      echo "$at"
      return
    fi
  done
  return 1
}

# Prints the home: the one in TOWER_HOME; else the nearest at or above the working directory; else the usual places.
tower_find_home() {
  local at
  if [[ -n "${TOWER_HOME:-}" ]]; then
    if tower_is_home "$TOWER_HOME" && CDPATH='' cd -- "$TOWER_HOME"; then
      pwd
      return
    fi
    echo "ERROR: $TOWER_HOME, named by TOWER_HOME, is not a home" >&2
    return 64
  fi
  at=$(pwd -P)
  while [[ -n "$at" ]] && ! tower_is_home "$at"; do at=${at%/*}; done
  if tower_is_home "$at"; then
    echo "${at:-/}"
    return
  fi
  if tower_usual_home; then return; fi
  echo "ERROR: no home here; run \`tower init\`, or set TOWER_HOME" >&2
  return 64
}

if [[ "${BASH_SOURCE[0]}" == "$0" && "${1:-}" == --home ]]; then
  TOWER_HOME=${2:?--home needs a directory}
  shift 2
fi
if [[ -z "${TOWER_HOME:-}" ]]; then
  # The usual home that the nearest one hides, if it does.
  export TOWER_HOME_FOUND=yes TOWER_HOME_HIDDEN=
  TOWER_HOME_HIDDEN=$(tower_usual_home) || true
fi
if ! TOWER_HOME=$(tower_find_home); then
  return 64 2>/dev/null || exit 64
fi
: "${TOWER:=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)/tower}"
export TOWER_HOME TOWER
if [[ "${TOWER_HOME_HIDDEN:-}" -ef "$TOWER_HOME" ]]; then TOWER_HOME_HIDDEN=; fi

LOCK_DIR="$TOWER_HOME/logs/locks"
DEFAULT_TTL="${DEFAULT_TTL:-900}"
HEARTBEAT_INTERVAL="${HEARTBEAT_INTERVAL:-30}"
export LOCK_DIR DEFAULT_TTL HEARTBEAT_INTERVAL

# acquire_lock NAME REQUEST_ID INTENT INTENT_VERSION [true: take it if it is stale]
acquire_lock() {
  local lock_name="$1" request_id="$2" intent="$3" intent_version="$4" force="${5:-false}"
  local lock_path="$LOCK_DIR/$lock_name.lock" status=0 message
  if [[ -n "${TOWER_HOME_HIDDEN:-}" ]]; then
    echo "ERROR: there are two homes: $TOWER_HOME, the nearest at or above the working directory, and $TOWER_HOME_HIDDEN," \
      "the default home of this host; locks in one do not exclude those in the other; set TOWER_HOME to the one you mean" >&2
    return 64
  fi
  local -a options=(--request-id "$request_id" "--intent=$intent" "--intent-version=$intent_version"
    --actor "${ACTOR:-unknown}" --ttl "${DEFAULT_TTL}s" --pid "$$")
  if [[ "$force" == "true" ]]; then options+=(--force-lock); fi
  if [[ -n "${TOWER_HOME_FOUND:-}" ]]; then echo "home $TOWER_HOME (TOWER_HOME was not set)" >&2; fi

  message=$(TOWER_DOOR=script "$TOWER" lock "${options[@]}" -- "$lock_name" 2>&1 >/dev/null) || status=$?
  case $status in
    0)
      TOWER_HELD_LOCKS="${TOWER_HELD_LOCKS:-} $lock_name=$request_id"
      export TOWER_HELD_LOCKS
      echo "Lock acquired: $lock_name"
      ;;
    2) echo "ERROR: Lock is held by active process." >&2 ;;
    5) echo "ERROR: Lock is stale. Use --force-lock to acquire." >&2 ;;
    *) echo "ERROR: Failed to acquire lock: $message" >&2 ;;
  esac
  if [[ $status -eq 2 || $status -eq 5 ]]; then cat "$lock_path" >&2 || true; fi
  [[ $status -eq 0 ]]
}

# release_lock NAME REQUEST_ID; a lock that does not exist counts as released
release_lock() {
  local lock_name="$1" request_id="$2" status=0 answer
  answer=$(TOWER_DOOR=script "$TOWER" unlock --request-id "$request_id" --json -- "$lock_name") || status=$?
  case $status:$answer in
    0:*'"released":true'*) echo "Lock released: $lock_name" ;;
    0:*) echo "WARN: Lock file not found: $LOCK_DIR/$lock_name.lock" >&2 ;;
    4:*'"lock_of_run"'*)
      echo "ERROR: Request $request_id is a run, which releases its lock itself; cancel it: tower cancel $request_id" >&2
      ;;
    4:*)
      answer=${answer#*\"held_by\":\{\"request_id\":\"}
      echo "ERROR: Lock held by different request: ${answer%%\"*}" >&2
      ;;
    *) echo "ERROR: Failed to release lock: $answer" >&2 ;;
  esac
  [[ $status -eq 0 ]]
}

# update_heartbeat LOCK_PATH [REQUEST_ID]; the default id is that of acquire_lock in this script. It is never read from the
# file, because that would renew locks of other holders.
update_heartbeat() {
  local lock_name request_id="${2:-}" held status=0 message
  lock_name=$(basename "$1" .lock)
  for held in ${TOWER_HELD_LOCKS:-}; do
    if [[ $# -lt 2 && "$held" == "$lock_name="* ]]; then request_id=${held#*=}; fi
  done
  if [[ -z "$request_id" ]]; then
    echo "ERROR: Lock $lock_name was not acquired here; give its request id as the second argument" >&2
    return 1
  fi
  message=$(TOWER_DOOR=script "$TOWER" heartbeat --request-id "$request_id" -- "$lock_name" 2>&1 >/dev/null) || status=$?
  if [[ $status -ne 0 ]]; then
    while [[ "$message" == "tower: warning: "*$'\n'* ]]; do message=${message#*$'\n'}; done
    message=${message#tower: }
    echo "WARN: Heartbeat failed: ${message%%$'\n'*}" >&2
  fi
  return "$status"
}

# steal_lock LOCK_PATH REQUEST_ID: a function that the specification's script calls but does not define
steal_lock() {
  local lock_path="$1" request_id="$2"
  acquire_lock "$(basename "$lock_path" .lock)" "$request_id" "${INTENT:-unknown}" "${INTENT_VERSION:-unknown}" true
}

# is_lock_stale LOCK_PATH: exit 0 when it is stale
is_lock_stale() {
  [[ "$("$TOWER" check -- "$(basename "$1" .lock)" || true)" == "stale" ]]
}

# create_lock_json NAME REQUEST_ID INTENT INTENT_VERSION: prints the content of a lock file, without creating one
create_lock_json() {
  local now
  now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  jq -n --arg lock_name "$1" --arg request_id "$2" --arg actor "${ACTOR:-unknown}" --arg intent "$3" \
    --arg intent_version "$4" --arg host_id "$(hostname)" --argjson pid "$$" --arg now "$now" \
    --argjson ttl_seconds "$DEFAULT_TTL" \
    '{lock_version: "v1", $lock_name, $request_id, $actor, $intent, $intent_version, $host_id, $pid,
      created_at: $now, last_heartbeat_at: $now, $ttl_seconds, metadata: {}}'
}

# check NAME: prints stale (exit 0), active (exit 1) or free (exit 3)
check() {
  "$TOWER" check -- "$1"
}

unset -f tower_is_home tower_usual_home tower_find_home
export -f acquire_lock release_lock update_heartbeat steal_lock is_lock_stale create_lock_json check

if [[ "${BASH_SOURCE[0]}" == "$0" ]]; then
  case "${1:-}" in
    check | acquire_lock | release_lock | update_heartbeat | steal_lock | is_lock_stale | create_lock_json)
      if [[ $# -lt 2 ]]; then
        echo "usage: ${0##*/} $1 ARGUMENT…" >&2
        exit 64
      fi
      "$@"
      ;;
    *)
      echo "usage: ${0##*/} check NAME" >&2
      exit 64
      ;;
  esac
fi

# The intent of the README's first session, and preparations between its commands: `declare`, `again`, `die`.
set -eu
case $1 in
  declare)
    cat >"$TOWER_HOME/intents/migrate.yaml" <<'INTENT'
apiVersion: tower-fleet/intent/v1
kind: Intent
metadata: { name: migrate, version: 1.0.0, description: Two steps under one lock }
spec:
  mode: mutate
  controls: { lock: shop-production }
  timeouts: { lock_ttl: 3 }
  steps:
    - name: copy_tables
      script: if [ -e "$TOWER_HOME/slow" ]; then sleep 300; fi
    - name: switch
      run: [echo, "switched under fencing token ${lock.token}"]
INTENT
    ;;
  again)
    touch "$TOWER_HOME/slow"
    tower run migrate --actor alice --request-id req_a2 >/dev/null 2>&1 </dev/null &
    echo $! | tee -a "$PIDS" >"$TOWER_HOME/alice"
    for _ in $(seq 100); do
      if [ "$(tower check shop-production)" = active ]; then exit 0; fi
      sleep 0.1
    done
    exit 1
    ;;
  die)
    kill -KILL "$(cat "$TOWER_HOME/alice")"
    rm "$TOWER_HOME/slow"
    for _ in $(seq 100); do
      if [ "$(tower check shop-production)" = stale ]; then exit 0; fi
      sleep 0.1
    done
    exit 1
    ;;
esac

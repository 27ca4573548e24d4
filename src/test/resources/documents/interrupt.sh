# A run whose executor is killed during its step.
set -eu
# On a busy machine, the step lasts until it is killed, and its lock is held until it is looked at.
sed -i 's/timeout: 3$/timeout: 55/; s/step: 30$/step: 55/; s/lock_ttl: 60$/lock_ttl: 900/' "$TOWER_HOME/intents/slow-import.yaml"
tower run slow-import -p seconds=50 --actor alice --request-id req_a9 >"$TOWER_HOME/alice.out" 2>&1 </dev/null &
echo $! >>"$PIDS"
for _ in $(seq 200); do
  if grep -q 'step import started' "$TOWER_HOME/alice.out"; then kill -KILL $! && exit 0; fi
  sleep 0.05
done
exit 1

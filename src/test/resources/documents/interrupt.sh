# A run whose executor is killed during its step.
set -eu
tower run slow-import -p seconds=2 --actor alice --request-id req_a9 >"$TOWER_HOME/alice.out" 2>&1 </dev/null &
echo $! >>"$PIDS"
for _ in $(seq 200); do
  if grep -q 'step import started' "$TOWER_HOME/alice.out"; then kill -KILL $! && exit 0; fi
  sleep 0.05
done
exit 1

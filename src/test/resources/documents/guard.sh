# Another user's guard, which holds a lock until the page ends.
set -eu
tower guard "$1" --ttl 5m --actor alice --request-id req_c3 -- sleep 300 >/dev/null 2>&1 </dev/null &
echo $! >>"$PIDS"
for _ in $(seq 100); do
  if [ "$(tower check "$1")" = active ]; then exit 0; fi
  sleep 0.1
done
exit 1

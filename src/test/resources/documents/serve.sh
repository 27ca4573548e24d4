# The service of a page on a free port; the stand-in for curl reads the port from a file.
set -eu
: >"$TOWER_HOME/serve.log"
tower serve --port 0 >"$TOWER_HOME/serve.log" 2>&1 </dev/null &
echo $! >>"$PIDS"
for _ in $(seq 600); do
  port=$(sed -n 's/^tower: ready on .*:\([0-9]*\)$/\1/p' "$TOWER_HOME/serve.log")
  if [ -n "$port" ]; then
    echo "$port" >"$HOME/port"
    exit 0
  fi
  sleep 0.1
done
cat "$TOWER_HOME/serve.log"
exit 1

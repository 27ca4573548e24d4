# To be sourced. Sets `jdk` to the home of a JDK 25 or newer, or prints an error and exits with 69.

# Reads the version of a JDK from its file `release`, which needs no process.
try_jdk() {
  if [ -n "$jdk" ] || [ ! -x "$1/bin/java" ] || [ ! -r "$1/release" ]; then return 0; fi
  while IFS='=' read -r key value; do
    if [ "$key" = JAVA_VERSION ]; then
      value=${value#\"}
      value=${value%%[!0-9]*}
      if [ "${value:-0}" -ge 25 ]; then jdk=$1; fi
      return 0
    fi
  done <"$1/release"
}

find_jdk() {
  jdk=
  try_jdk "${JAVA_HOME:-}"
  if [ -z "$jdk" ] && on_path=$(command -v java); then
    on_path=$(readlink -f "$on_path" 2>/dev/null) && try_jdk "${on_path%/bin/java}"
  fi
  for home in /usr/lib/jvm/* "${HOME:-}"/.sdkman/candidates/java/* /opt/java/*; do
    try_jdk "$home"
  done
  if [ -z "$jdk" ] && [ -x /usr/libexec/java_home ]; then
    try_jdk "$(/usr/libexec/java_home -v 25+ 2>/dev/null)" || :
  fi
  if [ -z "$jdk" ]; then
    echo "tower: no JDK 25 or newer found; install a JDK 25 (Temurin, for example) or set JAVA_HOME to one" >&2
    exit 69
  fi
}

find_jdk

package fleet.tower.home;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

import fleet.tower.run.members.Member;

/** The host that this process runs on, as others know it. */
record ThisHost(Function<String, Optional<String>> settings) {
  ThisHost {
    requireNonNull(settings);
  }

  /** Its name, for people to read. */
  String id() {
    return settings.apply("TOWER_HOST_ID").or(() -> text("/proc/sys/kernel/hostname"))
        .or(() -> settings.apply("HOSTNAME")).orElseGet(ThisHost::netName);
  }

  /** What tells its machine from others that go by the same name. */
  String machine() {
    return Stream.of("/etc/machine-id", "/proc/sys/kernel/random/boot_id").map(ThisHost::text)
        .flatMap(Optional::stream).findFirst().orElse("unknown");
  }

  /** This process, of which others shall know. */
  Member member(String id, Path home, Member.Kind kind) {
    return new Member(id, id(), machine(), home.toString(), ProcessHandle.current().pid(), kind, Release.version());
  }

  private static Optional<String> text(String file) {
    try {
      return Optional.of(Files.readString(Path.of(file)).strip()).filter(text -> !text.isEmpty());
    } catch (IOException notThere) {
      return Optional.empty();
    }
  }

  private static String netName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (IOException unknown) {
      return "unknown";
    }
  }
}

package fleet.tower.home;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

import fleet.tower.run.members.Member;

/** The host of this process, as other hosts know it. */
record ThisHost(HomeSettings settings) {
  /** The host's name, for display. */
  String id() {
    return Settings.HOST_ID.given(settings).or(() -> text("/proc/sys/kernel/hostname"))
        .or(() -> settings.variable("HOSTNAME")).orElseGet(ThisHost::netName);
  }

  /** Distinguishes this machine from others of the same name. */
  String machine() {
    return Stream.of("/etc/machine-id", "/proc/sys/kernel/random/boot_id").map(ThisHost::text)
        .flatMap(Optional::stream).findFirst().orElse("unknown");
  }

  /** This process as a member of the fleet. */
  Member member(String id, Path home, Member.Kind kind) {
    return new Member(id, id(), machine(), home.toString(), ProcessHandle.current().pid(), kind, Release.version());
  }

  private static Optional<String> text(String file) {
    try {
      return Optional.of(Files.readString(Path.of(file)).strip()).filter(text -> !text.isEmpty());
    } catch (IOException absent) {
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

package fleet.tower.platform.disk;

import java.io.IOException;
import java.nio.file.Path;

import fleet.tower.platform.Presence;

/** A process that publishes its presence, prints its id and runs until its input ends. */
final class PresenceMain {
  private PresenceMain() {}

  /** Arguments: directory. */
  static void main(String[] arguments) throws IOException {
    try (Presence presence = new ProcessFiles(Path.of(arguments[0])).open()) {
      System.out.println(presence.id());
      while (System.in.read() >= 0) {
        // The content of the input does not matter, only its end.
      }
    }
  }
}

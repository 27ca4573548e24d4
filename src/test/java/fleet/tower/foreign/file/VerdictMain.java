package fleet.tower.foreign.file;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import fleet.tower.foreign.ForeignName;
import fleet.tower.lock.file.ChildJvm;
import fleet.tower.platform.time.SystemTime;

/** Prints the state of a foreign lock, as seen by the user that runs it. */
final class VerdictMain {
  private static final String NOBODY = "65534";

  private VerdictMain() {}

  /** Arguments: the lock's name. */
  static void main(String[] arguments) {
    System.out.println(new ForeignFiles(Path.of("/"), SystemTime.source(), SystemTime.scheduler()).opener()
        .open(ForeignName.parse(arguments[0])).check().describe());
  }

  /** The command that runs this as a user without any files. */
  static List<String> asNobody(ForeignName name) {
    List<String> command = new ArrayList<>(
        List.of("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"));
    command.addAll(java(VerdictMain.class, List.of(name.toString())));
    return command;
  }

  /** The command that runs a main which calls the C library. */
  static List<String> java(Class<?> main, List<String> arguments) {
    List<String> command = new ArrayList<>(ChildJvm.command(main, arguments));
    command.add(1, "--enable-native-access=ALL-UNNAMED");
    return command;
  }
}

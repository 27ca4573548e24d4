package fleet.tower.harness;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Command lines of other JVMs with this test's Java and class path. */
public final class JavaProcess {
  /** The java program of this test. */
  public static final String JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();

  private JavaProcess() {}

  /** Runs {@code main} with a heap of 96 MB. */
  public static List<String> command(Class<?> main, String... arguments) {
    return command(List.of("-Xmx96m"), main.getName(), arguments);
  }

  /** Runs a main class with additional JVM options. */
  public static List<String> command(List<String> options, String main, String... arguments) {
    List<String> command = new ArrayList<>(List.of(JAVA, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
        "-Dslf4j.internal.verbosity=ERROR", "--enable-native-access=ALL-UNNAMED"));
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
    command.addAll(List.of(arguments));
    return command;
  }
}

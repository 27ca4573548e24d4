import java.nio.file.Files;
import java.nio.file.Path;

/** Prints what a build has left out, which its tests have written to a file. */
class LeftOut {
  public static void main(String[] arguments) throws Exception {
    Path file = Path.of(arguments[0]);
    if (Files.exists(file)) {
      System.out.println("Left out, and run by ./mvnw verify -Pproofs:");
      try (var lines = Files.lines(file)) {
        lines.sorted().distinct().forEach(line -> System.out.println("  " + line));
      }
      Files.delete(file);
    }
  }
}

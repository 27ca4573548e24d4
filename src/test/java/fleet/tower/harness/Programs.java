package fleet.tower.harness;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Creates programs that tests execute. A child process writes them, because the kernel executes no file that is open
 * for writing ("Text file busy"), and each child that another thread starts meanwhile inherits the open files of this
 * JVM.
 */
public final class Programs {
  private Programs() {}

  /** Writes a program that everybody may execute. */
  public static Path write(Path file, String text) throws IOException {
    Process writer = new ProcessBuilder("sh", "-c", "cat >\"$0\" && chmod 755 \"$0\"", file.toString())
        .redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (OutputStream in = writer.getOutputStream()) {
      in.write(text.getBytes(StandardCharsets.UTF_8));
    }
    requireSuccess(writer, file);
    return file;
  }

  /** Copies programs into a directory, with their modes. */
  public static void copy(List<Path> programs, Path directory) throws IOException {
    List<String> command = new ArrayList<>(List.of("cp", "-p"));
    programs.forEach(program -> command.add(program.toString()));
    command.add(directory.toString());
    requireSuccess(new ProcessBuilder(command).inheritIO().start(), directory);
  }

  private static void requireSuccess(Process writer, Path target) throws IOException {
    if (Await.exitOf(writer) != 0) {
      throw new IOException(target + " could not be written");
    }
  }
}

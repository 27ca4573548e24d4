package fleet.tower.run.process;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import fleet.tower.platform.process.Supervisor;

/** The shell of a supervisor, started and watched by Java. */
record JavaShell(Process process) implements Supervisor.Shell {

  static Supervisor.Shell start(List<String> command, Consumer<Supervisor.Shell> onEnd) throws IOException {
    List<String> inSession = new ArrayList<>(List.of("setsid"));
    inSession.addAll(command);
    ProcessBuilder builder = new ProcessBuilder(inSession).redirectOutput(Redirect.DISCARD)
        .redirectError(Redirect.DISCARD);
    builder.environment().keySet().removeIf(name -> !Launch.isInherited(name));
    JavaShell shell = new JavaShell(builder.start());
    var _ = shell.process().onExit().thenRun(() -> onEnd.accept(shell));
    return shell;
  }

  @Override
  public long pid() {
    return process.pid();
  }

  @Override
  public boolean isAlive() {
    return process.isAlive();
  }

  @Override
  public void write(String lines) throws IOException {
    OutputStream pipe = process.getOutputStream();
    pipe.write(lines.getBytes(StandardCharsets.US_ASCII));
    pipe.flush();
  }

  @Override
  public void close() {
    try {
      process.getOutputStream().close();
    } catch (IOException alreadyGone) {
      // The shell has already ended.
    }
  }
}

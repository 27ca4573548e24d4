package fleet.tower.harness;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The address of a service process, from the line that it prints when it is ready. */
public final class ServiceProcess {
  private static final Pattern READY = Pattern.compile("tower: ready on (http://\\S+:(\\d+))\n");

  private ServiceProcess() {}

  /**
   * Waits for the line; group 1 is the URL, group 2 the port. Fails with the output of a service that ended instead.
   */
  public static Matcher awaitReady(Process service, Path out, Path err) {
    Await.until("the service is ready or has ended",
        () -> READY.matcher(TestFiles.textIfAny(out)).find() || !service.isAlive());
    Matcher ready = READY.matcher(TestFiles.text(out));
    if (!ready.find()) {
      throw new AssertionError("the service ended:\n" + TestFiles.text(out) + TestFiles.textIfAny(err));
    }
    return ready;
  }
}

package fleet.tower.run.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.disk.DiskReserve;
import fleet.tower.platform.secret.Secrets;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.run.Processes;

/** An executor that gets its steps as scripts, one per line, and prints the number of its supervisor after each. */
final class ExecutorMain {
  private ExecutorMain() {}

  /** Arguments: the home. */
  static void main(String[] arguments) throws IOException {
    Path home = Path.of(arguments[0]);
    HostProcesses processes = (HostProcesses) new StepProcesses(home, home.resolve("runs"), SystemTime.source(),
        SystemTime.scheduler(), StepProcesses.DEFAULT_GRACE, Steps.MOST_OUTPUT, DiskReserve.NONE, System.out::println)
        .open();
    BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    int number = 0;
    for (String order = orders.readLine(); order != null; order = orders.readLine()) {
      if (!order.equals("supervisor?")) {
        Processes.Started started = processes.start(new Processes.Command(new RequestId("killed"), "step-" + ++number,
            List.of("sh", "-c", order), Map.of(), Secrets.NONE), exit -> System.out.println("exit " + exit));
        processes.execute(started::await);
      }
      System.out.println(processes.supervisor().pid());
    }
    processes.close();
  }
}

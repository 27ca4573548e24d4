package fleet.tower.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The entry point of {@code bin/bench [lock] [handover] [command] [held] [runs] [steps] [serve] [http] [tasks]
 * [mailbox] [notices] [fleet] [services] [elsewhere]}: runs all benchmarks, or the named ones.
 */
public final class Bench {
  private Bench() {}

  public static void main(String[] names) throws Exception {
    List<String> wanted = names.length == 0
        ? List.of("lock", "handover", "command", "held", "runs", "steps", "serve", "http", "tasks", "mailbox",
            "notices", "fleet", "services", "elsewhere")
        : List.of(names);
    Path project = Path.of(System.getProperty("project.basedir", ".")).toAbsolutePath();
    Path place = Path.of(System.getProperty("bench.directory", project.resolve("target").toString()));
    Path base = Files.createTempDirectory(Files.createDirectories(place), "bench");
    System.out
        .println("measured on " + Files.getFileStore(base).type() + ", " + Runtime.getRuntime().availableProcessors()
            + " processors, Java " + Runtime.version());
    try {
      LockBench lock = new LockBench(base);
      if (wanted.contains("lock")) {
        lock.run();
      }
      if (wanted.contains("handover")) {
        new HandoverBench(lock, base).run();
      }
      if (wanted.contains("command")) {
        new CommandBench(base, project.resolve("bin/tower")).run();
      }
      if (wanted.contains("held")) {
        new HeldLocksBench(lock, base.resolve("held")).run();
      }
      if (wanted.contains("runs")) {
        new RunsBench(base).run();
      }
      if (wanted.contains("steps")) {
        new StepsBench(base).run();
      }
      if (wanted.contains("serve")) {
        new ServeBench(base, project).run();
      }
      if (wanted.contains("http")) {
        new HttpBench(base, project.resolve("bin/tower")).run();
      }
      if (wanted.contains("tasks")) {
        new TasksBench(base).run();
      }
      if (wanted.contains("mailbox")) {
        new MailboxBench(base).run();
      }
      if (wanted.contains("notices")) {
        new NoticesBench().run();
      }
      if (wanted.contains("fleet")) {
        new FleetLockBench().run();
      }
      if (wanted.contains("services")) {
        new ServicesBench(base, project.resolve("bin/tower")).run();
      }
      if (wanted.contains("elsewhere")) {
        new ElsewhereBench(base, project.resolve("bin/tower")).run();
      }
    } finally {
      delete(base);
    }
  }

  private static void delete(Path base) throws IOException {
    try (Stream<Path> files = Files.walk(base)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}

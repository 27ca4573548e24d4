package fleet.tower.bench;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import fleet.tower.performance.Measure;
import fleet.tower.performance.Report;
import fleet.tower.platform.sql.PostgresServer;

/**
 * A benchmark of the runs of another host, with two services on one PostgreSQL: how long a cancellation takes until the
 * run's step has ended, and a line of output until the other host's stream has it.
 */
final class ElsewhereBench {
  private static final int CANCELLED = 110;
  private static final int LINES = 110;
  private static final int LONGEST_PAUSE_MILLIS = 300;
  private static final int WARM_UP = 10;
  private static final Pattern TEXT = Pattern.compile("^data: .*\"text\":\"(\\d+)\"");
  private static final String INTENT = """
      apiVersion: tower-fleet/intent/v1
      kind: Intent
      metadata: { name: %s, version: 1.0.0, description: Uses a pipe of the benchmark }
      spec:
        mode: observe
        params: { pipe: { type: string, required: true } }
        steps: [{ name: work, script: '%s' }]
      """;

  private final Path base;
  private final Path tower;
  private final Random random = new Random(20);
  private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  ElsewhereBench(Path base, Path tower) {
    this.base = base;
    this.tower = tower;
  }

  void run(Report report) throws Exception {
    String database = PostgresServer.newDatabase();
    try (http; ServedHome one = serve("one", database); ServedHome two = serve("two", database)) {
      report(report, Measure.CANCEL, Measure.CANCEL_P99, cancellations(one, two));
      report(report, Measure.LINE, Measure.LINE_P99, output(one, two));
    }
  }

  private ServedHome serve(String name, String database) throws IOException {
    Path root = base.resolve("elsewhere-" + name);
    Path intents = Files.createDirectories(root.resolve("intents"));
    Files.writeString(intents.resolve("hang.yaml"), INTENT.formatted("hang", "exec sleep 600 3>\"$PARAM_PIPE\""));
    Files.writeString(intents.resolve("repeat.yaml"), INTENT.formatted("repeat", "cat \"$PARAM_PIPE\""));
    return new ServedHome(root, tower, Map.of("TOWER_DATABASE_URL", database, "TOWER_HOST_ID", name));
  }

  /** The step keeps the pipe open until its end. */
  private List<Double> cancellations(ServedHome one, ServedHome two) throws Exception {
    List<Double> nanos = new ArrayList<>();
    for (int i = 0; i < CANCELLED; i++) {
      String id = "hang-" + i;
      begin(one, "hang", id);
      try (InputStream pipe = Files.newInputStream(pipe(id))) {
        pause();
        long begun = System.nanoTime();
        expect(202,
            http.send(request(two, one.token(), "/runs/" + id + "/cancel").POST(BodyPublishers.noBody()).build(),
                BodyHandlers.ofString()));
        if (pipe.read() >= 0) {
          throw new IllegalStateException("the step wrote to the pipe");
        }
        nanos.add((double) (System.nanoTime() - begun));
      }
    }
    return nanos.subList(WARM_UP, nanos.size());
  }

  private List<Double> output(ServedHome one, ServedHome two) throws Exception {
    String id = "repeat-1";
    begin(one, "repeat", id);
    List<Double> nanos = new ArrayList<>();
    try (PrintStream pipe = new PrintStream(Files.newOutputStream(pipe(id)), true, StandardCharsets.UTF_8);
        Stream<String> events = http.send(request(two, one.token(), "/runs/" + id + "/events").build(),
            BodyHandlers.ofLines()).body()) {
      Iterator<String> lines = events.iterator();
      for (int i = 0; i < LINES; i++) {
        pause();
        long begun = System.nanoTime();
        pipe.print(i + "\n");
        await(lines, i);
        nanos.add((double) (System.nanoTime() - begun));
      }
    }
    return nanos.subList(WARM_UP, nanos.size());
  }

  private static void await(Iterator<String> lines, int number) {
    while (lines.hasNext()) {
      Matcher text = TEXT.matcher(lines.next());
      if (text.find() && Integer.parseInt(text.group(1)) == number) {
        return;
      }
    }
    throw new IllegalStateException("the stream ended before line " + number);
  }

  private void begin(ServedHome home, String intent, String id) throws Exception {
    if (new ProcessBuilder("mkfifo", pipe(id).toString()).start().waitFor() != 0) {
      throw new IllegalStateException("no pipe " + pipe(id));
    }
    expect(202, http.send(request(home, home.token(), "/intents/" + intent).header("Prefer", "respond-async")
        .POST(BodyPublishers.ofString("{\"request_id\":\"" + id + "\",\"params\":{\"pipe\":\"" + pipe(id) + "\"}}"))
        .build(), BodyHandlers.ofString()));
  }

  private Path pipe(String id) {
    return base.resolve(id + ".pipe");
  }

  private static HttpRequest.Builder request(ServedHome home, String token, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + home.port() + path))
        .header("Authorization", "Bearer " + token).header("Content-Type", "application/json");
  }

  private static void expect(int status, HttpResponse<String> answer) {
    if (answer.statusCode() != status) {
      throw new IllegalStateException(answer.statusCode() + ": " + answer.body());
    }
  }

  private void pause() throws InterruptedException {
    Thread.sleep(random.nextInt(LONGEST_PAUSE_MILLIS));
  }

  private static void report(Report report, Measure p50, Measure p99, List<Double> nanos) {
    report.add(p50, Comparison.percentile(nanos, 50));
    report.add(p99, Comparison.percentile(nanos, 99));
  }
}

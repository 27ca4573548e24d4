package fleet.tower.service.config;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.springframework.context.ConfigurableApplicationContext;

import fleet.tower.answer.Reply;
import fleet.tower.platform.Exit;
import fleet.tower.platform.disk.WrittenFile;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;

/** The training run for the service's AOT cache: starts the service in a home for training and calls it. */
public final class ServiceAotTraining {
  private static final String LOCK = "/locks/sample";
  private static final int ROUNDS = 3;
  private static final String INTENT = "sample";
  private static final String INTENT_TEXT = """
      apiVersion: tower-fleet/intent/v1
      kind: Intent
      metadata: { name: sample, version: 1.0.0, description: Runs in the training of the service }
      spec:
        mode: mutate
        params:
          fails: { type: boolean, default: false }
          key: { type: string, secret: true }
        controls: { lock: "sample-${params.fails}" }
        steps:
          - name: print
            run: [printf, 'one\\ntwo\\n']
            rollback: [echo, undone]
          - name: end
            script: if "$PARAM_FAILS"; then exit 1; fi
      """;

  private final String url;
  private final String token;

  private ServiceAotTraining(String url, String token) {
    this.url = url;
    this.token = token;
  }

  /** Runs the training; it prints nothing. */
  public static Reply run(Path home) {
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    Daemon daemon = new Daemon(home, new Console(nowhere, nowhere));
    try {
      WrittenFile.write(home.resolve("intents").resolve(INTENT + ".yaml"),
          INTENT_TEXT.getBytes(StandardCharsets.UTF_8));
      try (ConfigurableApplicationContext service = daemon
          .start(List.of("--server.port=0", "--server.address=127.0.0.1", "--tower.lock.insecure-directory=true"))) {
        String token = Files.readString(home.resolve("state/token")).strip();
        ServiceAotTraining calls = new ServiceAotTraining(Daemon.urlOf(service), token);
        for (int round = 0; round < ROUNDS; round++) {
          calls.call();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Reply.of(Exit.DONE, JsonWriter.line());
  }

  private void call() throws IOException {
    expect(200, "GET", "/actuator/health/readiness", "");
    expect(200, "GET", "/actuator/health", "");
    new ServiceAotTraining(url, "unknown").expect(401, "GET", "/locks", "");
    expect(201, "POST", LOCK, "{\"request_id\":\"r1\",\"ttl_seconds\":60,\"metadata\":{\"a\":1}}");
    expect(409, "POST", LOCK, "{\"request_id\":\"r2\"}");
    expect(400, "POST", LOCK, "{\"ttl_seconds\":0}");
    expect(200, "POST", LOCK + "/heartbeat", "{\"request_id\":\"r1\",\"fencing_token\":0}");
    expect(200, "GET", LOCK, "");
    expect(200, "GET", "/locks", "");
    expect(200, "DELETE", LOCK + "?request_id=r1", "");
    expect(404, "GET", LOCK, "");
    expect(200, "GET", "/audit?limit=10", "");
    expect(200, "GET", "/intents", "");
    expect(200, "POST", "/intents/sample/plan", "{}");
    expect(200, "POST", "/intents/sample",
        "{\"params\":{\"fails\":false,\"key\":\"hush-hush\"},\"request_id\":\"run\"}");
    expect(200, "POST", "/intents/sample", "{\"params\":{\"fails\":true}}");
    expect(400, "POST", "/intents/sample", "{\"params\":{\"fails\":1}}");
    expect(200, "GET", "/runs", "");
    expect(200, "GET", "/runs/run", "");
    expect(200, "GET", "/runs/run/events", "");
    expect(409, "POST", "/runs/run/cancel", "");
    expect(200, "POST", "/tasks/claim", "{\"agent\":\"a\",\"request_id\":\"r\"}");
    expect(200, "GET", "/tasks", "");
    expect(404, "GET", "/tasks/none", "");
    expect(201, "POST", "/mailboxes/sample/messages", "{\"body\":{\"a\":1}}");
    expect(200, "POST", "/mailboxes/sample/receive", "{\"wait_time_seconds\":1}");
    expect(200, "GET", "/mailboxes", "");
    expect(200, "DELETE", "/mailboxes/sample/messages", "");
    expect(200, "GET", "/actuator/prometheus", "");
    expect(404, "GET", "/nowhere", "");
  }

  private void expect(int status, String method, String path, String body) throws IOException {
    HttpURLConnection call = (HttpURLConnection) URI.create(url + path).toURL().openConnection();
    call.setRequestMethod(method);
    call.setRequestProperty("Authorization", "Bearer " + token);
    if (!body.isEmpty()) {
      call.setDoOutput(true);
      call.setRequestProperty("Content-Type", "application/json");
      try (OutputStream out = call.getOutputStream()) {
        out.write(body.getBytes(StandardCharsets.UTF_8));
      }
    }
    int answered = call.getResponseCode();
    if (answered != status) {
      throw new IllegalStateException(method + " " + path + " was answered with " + answered + ", not " + status);
    }
  }
}

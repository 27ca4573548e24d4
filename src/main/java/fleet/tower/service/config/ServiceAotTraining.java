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
import fleet.tower.operation.Ask;
import fleet.tower.operation.CommonArgs;
import fleet.tower.operation.Given;
import fleet.tower.operation.HomeOperations;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.MailboxOperations;
import fleet.tower.operation.Operation;
import fleet.tower.operation.RunOperations;
import fleet.tower.operation.TaskOperations;
import fleet.tower.platform.Exit;
import fleet.tower.platform.disk.WrittenFile;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;

/** The training run for the service's AOT cache: starts the service in a home for training and calls it. */
public final class ServiceAotTraining {
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
    new ServiceAotTraining(url, "unknown").expect(401, LockOperations.LIST, Given.NOTHING);
    Given lock = Given.NOTHING.with(LockOperations.NAME, INTENT);
    expect(201, LockOperations.ACQUIRE, lock.with(CommonArgs.REQUEST_ID, "r1").with(LockOperations.TTL, 60L)
        .with(LockOperations.METADATA, JsonReader.readOwn("{\"a\":1}")));
    expect(409, LockOperations.ACQUIRE, lock.with(CommonArgs.REQUEST_ID, "r2"));
    expect(400, LockOperations.ACQUIRE, lock.with(LockOperations.TTL, 0L));
    expect(200, LockOperations.RENEW, lock.with(LockOperations.OWNING, "r1").with(LockOperations.TOKEN, 0L));
    expect(200, LockOperations.VIEW, lock);
    expect(200, LockOperations.LIST, Given.NOTHING);
    expect(200, LockOperations.RELEASE, lock.with(LockOperations.OWNING, "r1"));
    expect(404, LockOperations.VIEW, lock);
    expect(200, HomeOperations.AUDIT, Given.NOTHING.with(HomeOperations.LIMIT, 10L));
    Given intent = Given.NOTHING.with(RunOperations.INTENT, INTENT);
    expect(200, RunOperations.LIST_INTENTS, Given.NOTHING);
    expect(200, RunOperations.PLAN, intent);
    expect(200, RunOperations.SUBMIT, params(intent, "{\"fails\":false,\"key\":\"hush-hush\"}")
        .with(CommonArgs.REQUEST_ID, "run"));
    expect(200, RunOperations.SUBMIT, params(intent, "{\"fails\":true}"));
    expect(400, RunOperations.SUBMIT, params(intent, "{\"fails\":1}"));
    Given run = Given.NOTHING.with(RunOperations.RUN, "run");
    expect(200, RunOperations.LIST, Given.NOTHING);
    expect(200, RunOperations.VIEW, run);
    expect(200, "GET", new Ask(RunOperations.VIEW, run).path() + "/events", "");
    expect(409, RunOperations.CANCEL, run);
    expect(200, TaskOperations.CLAIM,
        Given.NOTHING.with(TaskOperations.WORKER, "a").with(TaskOperations.REQUEST_ID, "r"));
    expect(200, TaskOperations.LIST, Given.NOTHING);
    expect(404, TaskOperations.VIEW, Given.NOTHING.with(TaskOperations.ID, "none"));
    Given mailbox = Given.NOTHING.with(MailboxOperations.MAILBOX, INTENT);
    expect(201, MailboxOperations.SEND, mailbox.with(MailboxOperations.BODY, "{\"a\":1}"));
    expect(200, MailboxOperations.RECEIVE, mailbox.with(MailboxOperations.WAIT, 1L));
    expect(200, MailboxOperations.LIST, Given.NOTHING);
    expect(200, MailboxOperations.PURGE, mailbox);
    expect(200, "GET", "/actuator/prometheus", "");
    expect(404, "GET", "/nowhere", "");
  }

  private static Given params(Given intent, String params) {
    return intent.with(RunOperations.PARAMS, JsonReader.readOwn(params));
  }

  private void expect(int status, Operation operation, Given given) throws IOException {
    Ask ask = new Ask(operation, given);
    expect(status, operation.method().name(), ask.href(), operation.method().hasBody() ? ask.body().end() : "");
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

package fleet.tower.mcp;

import static java.util.Objects.requireNonNull;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import fleet.tower.harness.Await;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/** A client of others as a process, driven through {@code client.mjs}. Every message that it receives is checked. */
final class ClientProcess implements AutoCloseable {
  private final MessageCheck check;
  private final Process process;
  private final AtomicInteger ids = new AtomicInteger();
  private final Map<Integer, CompletableFuture<JsonNode>> outcomes = new ConcurrentHashMap<>();
  private final Map<Integer, List<JsonNode>> progress = new ConcurrentHashMap<>();
  private final Map<String, JsonNode> sent = new ConcurrentHashMap<>();

  /** A client's refusal of a command: its own error, or an error of the server. */
  static final class Failed extends RuntimeException {
    private static final long serialVersionUID = 1;

    Failed(String error) {
      super(error);
    }
  }

  /** A command that is under way. */
  record Call(int id, CompletableFuture<JsonNode> outcome) {}

  /** @param generation {@code modern} or {@code legacy} */
  ClientProcess(NodeTools tools, String generation, Path errors, MessageCheck check) {
    this.check = check;
    try {
      process = new ProcessBuilder(tools.client(generation)).redirectError(errors.toFile()).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofVirtual().start(this::listen);
  }

  /** Runs a command to its end. */
  JsonNode run(String command, Map<String, ?> arguments) {
    return outcome(begin(command, arguments));
  }

  JsonNode run(String command) {
    return run(command, Map.of());
  }

  /** Calls a tool, and returns its result. */
  JsonNode callTool(String name, Map<String, ?> arguments) {
    return run("callTool", Map.of("name", name, "arguments", arguments));
  }

  /** Begins a command. */
  Call begin(String command, Map<String, ?> arguments) {
    Call call = new Call(ids.incrementAndGet(), new CompletableFuture<>());
    outcomes.put(call.id(), call.outcome());
    progress.put(call.id(), Collections.synchronizedList(new ArrayList<>()));
    String line = JsonMapper.shared().writeValueAsString(Map.of("id", call.id(), "do", command, "args", arguments));
    try {
      synchronized (process) {
        process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return call;
  }

  /** Waits for the end of a command. */
  static JsonNode outcome(Call call) {
    try {
      return call.outcome().get(Await.LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Failed failed) {
        throw failed;
      }
      throw new AssertionError(e);
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  /** The progress of a command so far. */
  List<JsonNode> progressOf(Call call) {
    List<JsonNode> all = requireNonNull(progress.get(call.id()));
    synchronized (all) {
      return List.copyOf(all);
    }
  }

  private void listen() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      lines.lines().forEach(line -> event(JsonMapper.shared().readTree(line)));
    } catch (UncheckedIOException | IOException closed) {
      // The process has ended.
    }
    outcomes.values().forEach(it -> it.completeExceptionally(new Failed("the client has ended")));
  }

  private void event(JsonNode event) {
    if (event.has("sent")) {
      JsonNode message = event.get("sent");
      sent.put(message.path("id").toString(), message);
    } else if (event.has("received")) {
      received(event.get("received"));
    } else if (event.has("progress")) {
      requireNonNull(progress.get(event.get("of").asInt())).add(event.get("progress"));
    } else {
      CompletableFuture<JsonNode> outcome = requireNonNull(outcomes.get(event.get("id").asInt()));
      if (event.has("failed")) {
        outcome.completeExceptionally(new Failed(event.get("failed").toString()));
      } else {
        outcome.complete(event.get("ok"));
      }
    }
  }

  /** A notification belongs to any request; all of one client have the same revision. */
  private void received(JsonNode message) {
    JsonNode request = message.has("method")
        ? sent.values().stream().filter(it -> it.has("id")).findAny().orElse(MissingNode.getInstance())
        : sent.getOrDefault(message.path("id").toString(), MissingNode.getInstance());
    if (request.isMissingNode()) {
      check.mistake("an answer to no request: " + message);
    } else {
      check.received(request, message);
    }
  }

  @Override
  public void close() {
    try {
      process.getOutputStream().close();
    } catch (IOException gone) {
      // It has ended.
    }
    Await.exitOf(process);
  }
}

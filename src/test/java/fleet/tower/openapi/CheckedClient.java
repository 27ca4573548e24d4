package fleet.tower.openapi;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import fleet.tower.harness.Await;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;
import fleet.tower.service.web.access.TestTokens;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A client that makes calls of one service as documented, and compares every answer with the document. */
final class CheckedClient {
  final TestService service;
  final Document document;
  private final CallLog callLog;
  private final AnswerCheck check;
  private final ActionCheck actions;

  CheckedClient(TestService service, Document document, CallLog callLog) {
    this(service, document, callLog, new ActionCheck(document));
  }

  private CheckedClient(TestService service, Document document, CallLog callLog, ActionCheck actions) {
    this.service = service;
    this.actions = actions;
    this.document = document;
    this.callLog = callLog;
    this.check = new AnswerCheck(document, callLog);
  }

  /** A client of another service. */
  CheckedClient on(TestService other) {
    return new CheckedClient(other, document, callLog, actions);
  }

  /** The commands of all next actions. */
  Set<String> commands() {
    return actions.commands();
  }

  /** A call by its operationId, with the operator's token by default. */
  Call call(String operation) {
    return new Call(document.operation(operation));
  }

  /** Reads the first two pages of a list, with one row each. */
  void pages(String operation) {
    String next = JsonMapper.shared().readTree(call(operation).with("limit", "1").answers(200).body()).findValue("next")
        .asString();
    call(operation).with("limit", "1").with("cursor", next).answers(200);
    call(operation).with("cursor", "x" + next).answers(400, "invalid_request");
  }

  /** A call with the document's examples for the path, the required parameters and the body. */
  Call example(Document.Operation operation) {
    Call call = new Call(operation);
    operation.parameters().forEach((name, place) -> {
      if (place.node().path("required").asBoolean(false)) {
        call.with(name.substring(name.indexOf(' ') + 1), place.node().get("example").asString());
      }
    });
    return operation.hasBody() ? call.sendExactly(operation.body().node().get("example").toString()) : call;
  }

  /** A call. Its parts are looked up in the document: an unknown name is an error. */
  final class Call {
    private final Document.Operation operation;
    private final Map<String, String> given = new LinkedHashMap<>();
    private final List<String> headers = new ArrayList<>();
    private String body = "";
    private String token = service.token();
    private String contentType = "application/json";
    private @Nullable String address;

    Call(Document.Operation operation) {
      this.operation = operation;
    }

    /** Sets a parameter of the path or the query, or a header. */
    Call with(String name, String value) {
      String known = operation.parameters().keySet().stream().filter(it -> it.endsWith(" " + name)).findFirst()
          .orElseThrow(() -> new AssertionError(operation.id() + " has no parameter " + name));
      given.put(known, value);
      return this;
    }

    /** Sets a body; {@code '} stands for a quotation mark. */
    Call send(String json) {
      return sendExactly(json.replace('\'', '"'));
    }

    Call sendExactly(String text) {
      body = text;
      return this;
    }

    Call sendAs(String type) {
      contentType = type;
      return this;
    }

    /** Sets another token; none if it is empty. */
    Call as(String other) {
      token = other;
      return this;
    }

    Call accepting(String type) {
      headers.add("Accept");
      headers.add(type);
      return this;
    }

    /** Sets another address of this host as the source. */
    Call from(String other) {
      address = other;
      return this;
    }

    /** Makes the call; the answer must have this status, with one of these error codes if it is a problem. */
    Answer answers(int status, String... codes) {
      HttpRequest request = request();
      Answer answer = address == null ? service.send(request) : service.sendFrom(address, request);
      return checked(answer, status, codes);
    }

    /** Repeats the call until it has this answer. */
    void answersAtLast(int status) {
      Await.until(operation.id() + " answers " + status, () -> {
        Answer answer = service.send(request());
        if (answer.status() == status) {
          checked(answer, status);
        }
        return answer.status() == status;
      });
    }

    /** Starts the call without waiting. */
    Later later() {
      HttpRequest request = request();
      return new Later(this, service.client().sendAsync(request, BodyHandlers.ofString())
          .thenApply(response -> new Answer(response.statusCode(), response.headers().map(), response.body())));
    }

    /** Reads so many events, and checks them. */
    void tells(int events) {
      try {
        HttpResponse<InputStream> response = service.client().send(request(), BodyHandlers.ofInputStream());
        StringBuilder text = new StringBuilder();
        try (BufferedReader lines = new BufferedReader(
            new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
          int left = events;
          while (left > 0) {
            String line = lines.readLine();
            if (line == null) {
              throw new AssertionError(operation.id() + " ended with " + left + " events to come:\n" + text);
            }
            text.append(line).append('\n');
            left -= line.startsWith("data:") ? 1 : 0;
          }
        }
        checked(new Answer(response.statusCode(), response.headers().map(), text + "\n"), 200);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    private Answer checked(Answer answer, int status, String... codes) {
      if (status < 400) {
        given.keySet().forEach(name -> callLog.gave(operation.id(), name));
        check.sent(operation, given, body);
      }
      check.answered(operation, answer, status, List.of(codes));
      if (answer.header("Content-Type").equals("application/problem+json")) {
        follow(answer);
      }
      return answer;
    }

    /** Checks the next actions of a refusal for the caller, and that a first one that only reads is answered. */
    private void follow(Answer refusal) {
      String role = role();
      actions.mistakes(refusal.body(), role).forEach(mistake -> callLog
          .mistake(operation.id() + " " + refusal.status() + " for " + role + ": " + mistake));
      JsonNode first = JsonMapper.shared().readTree(refusal.body()).path("next_actions").path(0);
      if (!service.isClosing() && first.path("method").asString("").equals("GET") && !refusal.header("Retry-After")
          .matches("\\d+")) {
        HttpRequest.Builder request = service.request(first.get("href").asString()).GET();
        Answer answer = service
            .send((token.isEmpty() ? request : request.header("Authorization", "Bearer " + token)).build());
        if (Set.of(400, 401, 403).contains(answer.status())) {
          callLog.mistake(operation.id() + " " + refusal.status() + " for " + role + ": its first action " + first
              + " is answered with " + answer.status());
        }
      }
    }

    private String role() {
      return token.equals(service.token())
          ? "operator"
          : token.equals(TestTokens.tokenOf("ann"))
              || RunCalls.APPROVERS.stream().map(TestTokens::tokenOf).anyMatch(token::equals)
                  ? "agent"
                  : token.equals(TestTokens.tokenOf("eve")) ? "viewer" : "none";
    }

    private HttpRequest request() {
      String path = operation.path();
      List<String> query = new ArrayList<>();
      List<String> all = new ArrayList<>(headers);
      for (Map.Entry<String, String> parameter : given.entrySet()) {
        String name = parameter.getKey().substring(parameter.getKey().indexOf(' ') + 1);
        String value = URLEncoder.encode(parameter.getValue(), StandardCharsets.UTF_8).replace("+", "%20");
        switch (parameter.getKey().charAt(0)) {
          case 'p' -> path = path.replace("{" + name + "}", value);
          case 'q' -> query.add(name + "=" + value);
          default -> all.addAll(List.of(name, parameter.getValue()));
        }
      }
      HttpRequest.Builder request = service.request(query.isEmpty() ? path : path + "?" + String.join("&", query))
          .method(operation.method(), body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
      if (!body.isEmpty()) {
        request.header("Content-Type", contentType);
      }
      if (!all.isEmpty()) {
        request.headers(all.toArray(String[]::new));
      }
      return (token.isEmpty() ? request : request.header("Authorization", "Bearer " + token)).build();
    }
  }

  /** A pending answer. */
  record Later(Call call, CompletableFuture<Answer> answer) {
    Answer answers(int status, String... codes) {
      return call.checked(answer.join(), status, codes);
    }
  }
}

package fleet.tower.service.web.http;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.RequestPredicate;
import org.springframework.web.servlet.function.RequestPredicates;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

import fleet.tower.access.Caller;
import fleet.tower.answer.Answer;
import fleet.tower.answer.AnswerEnvelope;
import fleet.tower.answer.LockEstimates;
import fleet.tower.answer.Problem;
import fleet.tower.answer.RefusedCall;
import fleet.tower.operation.Ask;
import fleet.tower.operation.Given;
import fleet.tower.operation.Handler;
import fleet.tower.operation.Operation;
import fleet.tower.operation.Operations;
import fleet.tower.platform.time.Cancellation;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** An operation as a call over HTTP: it checks the caller's role, reads the arguments, and writes the answer. */
public record RoutedOperation(Operation operation, Operations operations, LockEstimates estimates)
    implements
      HandlerFunction<ServerResponse> {

  /** The routes of operations, by path. */
  public static RouterFunction<ServerResponse> routes(Operations operations, LockEstimates estimates) {
    RouterFunctions.Builder routes = RouterFunctions.route();
    List<Operation> all = operations.handlers().keySet().stream().toList();
    all.forEach(operation -> routes.route(path(operation).and(method(operation.method())),
        new RoutedOperation(operation, operations, estimates)));
    all.stream().map(Operation::path).distinct().sorted().forEach(path -> routes.route(
        path(all.stream().filter(one -> one.path().equals(path)).max(Comparator.comparing(Operation::isStreamed))
            .orElseThrow()),
        OtherMethod.of(path, all)));
    return routes.build();
  }

  /** A stream of events is left to a controller. */
  private static RequestPredicate path(Operation operation) {
    RequestPredicate path = RequestPredicates.path(operation.path());
    return operation.isStreamed()
        ? path.and(RequestPredicates.headers(headers -> headers.header("Accept").stream()
            .noneMatch(accept -> accept.contains(MediaType.TEXT_EVENT_STREAM_VALUE))))
        : path;
  }

  private static RequestPredicate method(Operation.Method method) {
    return method == Operation.Method.GET
        ? RequestPredicates.methods(HttpMethod.GET, HttpMethod.HEAD)
        : RequestPredicates.method(HttpMethod.valueOf(method.name()));
  }

  @Override
  public ServerResponse handle(ServerRequest request) {
    Map<String, String> variables = request.pathVariables();
    return ServerResponse.ok().build((call, response) -> {
      try {
        Caller caller = HttpFrame.callerOf(call);
        Operations.require(operation, caller);
        requireJson(call);
        Given given = HttpArguments.read(operation, variables, call);
        RefusedHttpRequest.received(call, new Ask(operation, given));
        Handler.Request asked = new Handler.Request(given, caller,
            new Handler.Client(new Cancellation(), (_, _, _, _) -> {}, () -> Client.of(call).isThere(),
                () -> RefusedHttpRequest.hasSecrets(call)));
        write(Answer.of(operations.handle(operation, asked), estimates, estimates.moment()),
            call, response);
      } catch (Exception e) {
        Problem problem = ErrorAnswers.problem(e, call, response);
        if (problem != null) {
          write(problem, call, response);
        }
      }
      return null;
    });
  }

  private void write(Answer answer, HttpServletRequest request, HttpServletResponse response) throws IOException {
    boolean isEnveloped = operation.isEnveloped();
    switch (answer) {
      case Answer.Done done -> {
        Answer.Done shown = done.to(new RefusedHttpRequest(request));
        Json.write(isEnveloped ? AnswerEnvelope.around(shown) : shown, response);
      }
      case Answer.Listing listing when isEnveloped -> Json.envelopedPage(response, listing.member(), listing.page(),
          rows -> listing.rows().read(rows::add));
      case Answer.Listing listing -> Json.page(response, listing.member(), listing.more(), listing.page(),
          rows -> listing.rows().read(rows::add));
      case Problem problem when isEnveloped -> ProblemDocument.writeEnveloped(problem, request, response);
      case Problem problem -> ProblemDocument.write(problem, request, response);
    }
  }

  private static void requireJson(HttpServletRequest request) {
    @Nullable
    String accept = request.getHeader("Accept");
    try {
      if (accept == null
          || MediaType.parseMediaTypes(accept).stream().anyMatch(MediaType.APPLICATION_JSON::isCompatibleWith)) {
        return;
      }
    } catch (InvalidMediaTypeException e) {
      // Not acceptable either.
    }
    throw new RefusedCall(HttpProblems.ofStatus(HttpServletResponse.SC_NOT_ACCEPTABLE));
  }

  /** The answer to a method that a path does not have. */
  private record OtherMethod(String allowed) implements HandlerFunction<ServerResponse> {

    static OtherMethod of(String path, List<Operation> all) {
      return new OtherMethod(all.stream().filter(one -> one.path().equals(path)).map(one -> one.method().name())
          .sorted().collect(Collectors.joining(", ")));
    }

    @Override
    public ServerResponse handle(ServerRequest request) {
      if (request.method().equals(HttpMethod.OPTIONS)) {
        return ServerResponse.ok().header("Allow", allowed.replace("GET", "GET, HEAD") + ", OPTIONS").build();
      }
      return ServerResponse.ok().build((call, response) -> {
        ProblemDocument.write(HttpProblems.ofStatus(HttpServletResponse.SC_METHOD_NOT_ALLOWED).header("Allow", allowed),
            call, response);
        return null;
      });
    }
  }
}

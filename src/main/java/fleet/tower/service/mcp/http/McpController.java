package fleet.tower.service.mcp.http;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Collections;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Access.RecognitionOutcome;
import fleet.tower.access.Caller;
import fleet.tower.access.Forbidden;
import fleet.tower.access.Places;
import fleet.tower.access.Role;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.Problem;
import fleet.tower.answer.RefusedCall;
import fleet.tower.audit.AuditEvent;
import fleet.tower.lease.Door;
import fleet.tower.operation.TokenRevoked;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.service.call.Needs;
import fleet.tower.service.mcp.RefusedRequests;
import fleet.tower.service.mcp.wire.Failure;
import fleet.tower.service.mcp.wire.McpMessage;
import fleet.tower.service.mcp.wire.McpReply;
import fleet.tower.service.mcp.wire.Protocol;
import fleet.tower.service.mcp.wire.ProtocolError;
import fleet.tower.service.web.http.Client;
import fleet.tower.service.web.http.HttpProblems;
import fleet.tower.service.web.http.RawBody;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** The endpoint of the Model Context Protocol: one message per request. */
@RestController
final class McpController {
  static final String PATH = "/mcp";
  /** The method whose call is a stream that lasts as long as its client wants. */
  private static final String LISTEN = "subscriptions/listen";

  private final Protocol protocol;
  private final RefusedRequests refused;
  private final Issuer issuer;
  private final Addresses addresses;
  private final WaitingCalls waits;
  private final Scheduler scheduler;

  McpController(Protocol protocol, RefusedRequests refused, Issuer issuer, Addresses addresses, WaitingCalls waits,
      Scheduler scheduler) {
    this.protocol = protocol;
    this.refused = refused;
    this.issuer = issuer;
    this.addresses = addresses;
    this.waits = waits;
    this.scheduler = scheduler;
  }

  @Needs(Role.VIEWER)
  @PostMapping(PATH)
  void post(Caller known, HttpServletRequest request, HttpServletResponse response) throws IOException {
    HostValve.requireChecked(request);
    Caller caller = known.through(Door.MCP);
    request.setAttribute(Caller.class.getName(), caller);
    requireAudience(caller, request);
    boolean mayStream = accepts(request, MediaType.TEXT_EVENT_STREAM);
    if (!mayStream && !accepts(request, MediaType.APPLICATION_JSON)) {
      throw new RefusedCall(HttpProblems.ofStatus(HttpStatus.NOT_ACCEPTABLE.value()));
    }
    Channel channel = new ServletChannel(request, response);
    switch (protocol.read(RawBody.read(request), name -> values(request, name))) {
      case McpMessage.Invalid(McpReply reply) -> channel.answer(reply);
      case McpMessage.Notification notification when notification.isValid() ->
        response.setStatus(HttpServletResponse.SC_ACCEPTED);
      case McpMessage.Notification _ -> channel.answer(refusal("'id' is missing"));
      case McpMessage.Response(var revision) when !revision.isModern() ->
        response.setStatus(HttpServletResponse.SC_ACCEPTED);
      case McpMessage.Response _ -> channel.answer(refusal("the server sends no requests, and accepts no responses"));
      case McpMessage.Call call when isListening(call) && !mayStream ->
        throw new RefusedCall(HttpProblems.ofStatus(HttpStatus.NOT_ACCEPTABLE.value()));
      case McpMessage.Call call -> answer(call, new HttpExchange(call.request(), caller, channel, scheduler, mayStream),
          request);
    }
  }

  private static McpReply refusal(String problem) {
    return McpReply.refusal(HttpServletResponse.SC_BAD_REQUEST,
        new ProtocolError(ProtocolError.INVALID_REQUEST, problem));
  }

  private void requireAudience(Caller caller, HttpServletRequest request) {
    if (!issuer.isForUs(caller, addresses)) {
      String problem = "your token was not issued for this service";
      request.setAttribute(RecognitionOutcome.Refused.class.getName(),
          new RecognitionOutcome.Refused(RecognitionOutcome.Reason.INVALID_TOKEN, caller.name(), problem));
      throw new RefusedCall(Problem.of(ErrorCode.UNAUTHORIZED, problem,
          "request a token for " + addresses.resource().orElse("an audience that the service's settings name")));
    }
  }

  private static boolean isListening(McpMessage.Call call) {
    return call.request().method().equals(LISTEN);
  }

  /** Clients that send no header accept everything. */
  private static boolean accepts(HttpServletRequest request, MediaType type) {
    try {
      List<MediaType> accepted = MediaType.parseMediaTypes(Collections.list(request.getHeaders(HttpHeaders.ACCEPT)));
      return accepted.isEmpty() || accepted.stream().anyMatch(it -> it.isCompatibleWith(type));
    } catch (InvalidMediaTypeException e) {
      throw new RefusedCall(HttpProblems.ofStatus(HttpStatus.NOT_ACCEPTABLE.value()));
    }
  }

  private static List<String> values(HttpServletRequest request, String name) {
    return Collections.list(request.getHeaders(name)).stream().map(String::strip).toList();
  }

  private void answer(McpMessage.Call call, HttpExchange exchange, HttpServletRequest request) throws IOException {
    Caller caller = exchange.caller();
    try (Places.@Nullable Place _ = isListening(call) ? waits.enter(caller) : null;
        exchange;
        var _ = waits.ending(caller, exchange.cancellation())) {
      exchange.watch();
      McpReply reply = protocol.answer(call, exchange);
      if (exchange.refusal() != null) {
        request.setAttribute(Forbidden.class.getName(), exchange.refusal());
        request.setAttribute(AuditEvent.McpRequest.class.getName(), refused.of(call.request()));
      }
      exchange.finish(caller.credential().isValid() ? reply : revoked(call, exchange));
    }
  }

  /** Withholds the answer from a caller whose token was revoked or has expired meanwhile. */
  private static McpReply revoked(McpMessage.Call call, HttpExchange exchange) {
    TokenRevoked revoked = new TokenRevoked();
    if (!exchange.isStream()) {
      throw revoked;
    }
    return McpReply.error(call.request().id(), Failure.of(CommonProblems.ofFailure(revoked).orElseThrow()));
  }

  /** Answers with one message. */
  static void write(McpReply reply, HttpServletResponse response) throws IOException {
    response.setStatus(reply.status());
    response.setContentType(MediaType.APPLICATION_JSON_VALUE);
    reply.message().writeTo(response.getOutputStream(), response::setContentLength);
  }

  /** A response of the servlet container. */
  private record ServletChannel(HttpServletRequest request, HttpServletResponse response) implements Channel {

    @Override
    public void answer(McpReply reply) throws IOException {
      write(reply, response);
    }

    @Override
    public OutputStream stream() throws IOException {
      response.setContentType(MediaType.TEXT_EVENT_STREAM_VALUE);
      // Proxies such as nginx would otherwise collect the events.
      response.setHeader("X-Accel-Buffering", "no");
      return response.getOutputStream();
    }

    @Override
    public boolean isClientThere() {
      return Client.of(request).isThere();
    }
  }
}

package fleet.tower.service.web.mailbox;

import static fleet.tower.service.web.mailbox.MailboxProblems.path;

import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.cli.reply.MailboxJson;
import fleet.tower.lease.RequestId;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.MessageId;
import fleet.tower.mailbox.Visibility;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.web.call.Client;
import fleet.tower.service.web.call.Enveloped;
import fleet.tower.service.web.call.WaitingCalls;
import fleet.tower.service.web.http.AnyJson;
import fleet.tower.service.web.http.Body;
import fleet.tower.service.web.http.Needs;
import fleet.tower.service.web.http.Problems;
import fleet.tower.service.web.http.Query;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;

/** Calls that send, receive, and manage whole mailboxes. */
@RestController
@RequestMapping(path = "/mailboxes", produces = MediaType.APPLICATION_JSON_VALUE)
final class MailboxController {
  private static final String MAILBOX = "mailbox";
  private static final String REQUEST_ID = "request_id";
  private static final String ONE = "/{mailbox}";
  private static final int DEFAULT_LIMIT = 100;
  private static final int MAX_LIMIT = 10_000;

  private final Mailboxes mailboxes;
  private final WaitingCalls endings;
  private final SecureRandom random = new SecureRandom();

  MailboxController(Mailboxes mailboxes, WaitingCalls endings) {
    this.mailboxes = mailboxes;
    this.endings = endings;
  }

  record SendBody(@Nullable String id, @NotNull AnyJson body, @Nullable String replyTo,
      @Min(1) @Max(MailboxCommand.Send.MAX_LIMIT) @Nullable Integer maxSize) implements Body {}

  record ReceiveBody(@Nullable String requestId, @Min(1) @Max(Integer.MAX_VALUE) @Nullable Integer maxMessages,
      @Min(0) @Max(Visibility.MAX_SECONDS) @Nullable Long visibilityTimeout,
      @Min(0) @Max(Mailboxes.MAX_WAIT_SECONDS) @Nullable Long waitTimeSeconds,
      @Min(1) @Max(Integer.MAX_VALUE) @Nullable Integer maxDeliveries) implements Body {}

  record ReviveBody(@Nullable List<@NotNull String> ids) implements Body {}

  @Needs(Role.VIEWER)
  @GetMapping
  void all(Query query, HttpServletResponse response) throws IOException {
    query.allow();
    Enveloped.rows(response, "mailboxes",
        rows -> rows.addAll(mailboxes.counts().stream().map(count -> MailboxJson.count(count).end())));
  }

  /** A mailbox exists as soon as it is named; one without messages is empty. */
  @Needs(Role.VIEWER)
  @GetMapping(ONE)
  ResponseEntity<byte[]> one(@PathVariable(MAILBOX) String name, Query query) {
    query.allow();
    return Enveloped.ok(MailboxJson.count(mailboxes.count(new MailboxName(name))));
  }

  @Needs(Role.AGENT)
  @PostMapping(ONE + "/messages")
  ResponseEntity<byte[]> send(@PathVariable(MAILBOX) String name, SendBody body) {
    MailboxCommand.Send send = new MailboxCommand.Send(new MailboxName(name),
        body.id() == null ? null : new MessageId(body.id()), new fleet.tower.mailbox.Body(body.body().raw()),
        body.replyTo() == null ? null : new MailboxName(body.replyTo()),
        body.maxSize() == null ? OptionalInt.empty() : OptionalInt.of(body.maxSize()));
    return switch (mailboxes.send(send)) {
      case MailboxOutcome.Sent sent when sent.replayed() -> Enveloped.replayed(MailboxJson.sent(sent));
      case MailboxOutcome.Sent sent -> Enveloped.created(MailboxJson.sent(sent));
      case MailboxOutcome.IdTaken taken -> MailboxProblems.of(taken, send.mailbox()).answer();
      case MailboxOutcome.Full full -> MailboxProblems.of(full, send.mailbox()).answer();
    };
  }

  /**
   * Leases messages. A wait ends when the service stops, when the request is withdrawn, or when its client is seen to be
   * gone; then nothing is leased.
   */
  @Needs(Role.AGENT)
  @PostMapping(ONE + "/receive")
  ResponseEntity<byte[]> receive(@PathVariable(MAILBOX) String name, ReceiveBody body, Caller caller,
      HttpServletRequest request) {
    MailboxCommand.Receive receive = new MailboxCommand.Receive(new MailboxName(name),
        Objects.requireNonNullElse(body.maxMessages(), 1),
        ReceiptController.visibility(body.visibilityTimeout(), Visibility.DEFAULT),
        Objects.requireNonNullElse(body.maxDeliveries(), MailboxCommand.Receive.DEFAULT_DELIVERIES));
    Duration wait = Duration
        .ofSeconds(Objects.requireNonNullElse(body.waitTimeSeconds(), 0L));
    RequestId by = body.requestId() == null ? RequestId.random(random) : new RequestId(body.requestId());
    if (wait.isZero()) {
      return Enveloped.ok(MailboxJson.received(mailboxes.receive(receive)));
    }
    Client client = Client.of(request);
    return Enveloped.ok(MailboxJson.received(endings.during(path(receive.mailbox()), by, caller,
        cancellation -> mailboxes.receive(receive, wait, cancellation,
            () -> client.isThere() && caller.credential().isValid()),
        mailboxes::returnAll)));
  }

  /** Ends a client's wait. The waiting call answers with nothing, or with messages leased just before. */
  @Needs(Role.AGENT)
  @DeleteMapping(ONE + "/waiters/{request_id}")
  ResponseEntity<byte[]> withdraw(@PathVariable(MAILBOX) String name, @PathVariable(REQUEST_ID) String requestId,
      Query query, Caller caller) {
    query.allow();
    MailboxName mailbox = new MailboxName(name);
    RequestId by = new RequestId(requestId);
    return endings.withdraw(path(mailbox), by, caller)
        ? Enveloped.ok(JsonWriter.line().put(MAILBOX, name).put(REQUEST_ID, requestId).put("withdrawn", true))
        : MailboxProblems.notWaiting(mailbox, by).answer();
  }

  @Needs(Role.AGENT)
  @DeleteMapping(ONE + "/messages")
  ResponseEntity<byte[]> purge(@PathVariable(MAILBOX) String name, Query query, Caller caller) {
    query.allow();
    MailboxName mailbox = new MailboxName(name);
    return Enveloped.ok(MailboxJson.purged(mailbox, mailboxes.purge(mailbox, caller.actor())));
  }

  @Needs(Role.VIEWER)
  @GetMapping(ONE + "/dead")
  void dead(@PathVariable(MAILBOX) String name, Query query, HttpServletResponse response) throws IOException {
    query.allow("limit");
    int limit = query.integer("limit", 1, MAX_LIMIT).orElse(DEFAULT_LIMIT);
    MailboxName mailbox = new MailboxName(name);
    Enveloped.rows(response, MailboxJson.DEAD_LETTERS,
        rows -> mailboxes.dead(mailbox, limit, letter -> rows.add(MailboxJson.deadLetter(letter))));
  }

  @Needs(Role.AGENT)
  @DeleteMapping(ONE + "/dead")
  ResponseEntity<byte[]> purgeDead(@PathVariable(MAILBOX) String name, Query query, Caller caller) {
    query.allow();
    MailboxName mailbox = new MailboxName(name);
    return Enveloped
        .ok(MailboxJson.purged(mailbox, mailboxes.purgeDead(mailbox, caller.actor())));
  }

  /** All dead letters, or the named ones. An empty list is refused as a likely mistake. */
  @Needs(Role.AGENT)
  @PostMapping(ONE + "/dead/revive")
  ResponseEntity<byte[]> revive(@PathVariable(MAILBOX) String name, ReviveBody body, Caller caller) {
    Set<MessageId> ids = new LinkedHashSet<>();
    Objects.requireNonNullElse(body.ids(), List.<String>of()).stream().map(MessageId::new).forEach(ids::add);
    if (ids.isEmpty() && body.ids() != null) {
      throw Problems.invalid("ids", "'ids' names no dead letter", "omit it to revive all of them");
    }
    MailboxCommand.Revive revive = new MailboxCommand.Revive(new MailboxName(name), ids);
    return switch (mailboxes.revive(revive, caller.actor())) {
      case MailboxOutcome.Revived revived -> Enveloped.ok(MailboxJson.revived(revived));
      case MailboxOutcome.NoDeadLetter missing -> MailboxProblems.of(missing, revive.mailbox()).answer();
    };
  }
}

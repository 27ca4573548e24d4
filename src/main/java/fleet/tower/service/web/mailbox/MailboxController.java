package fleet.tower.service.web.mailbox;

import static fleet.tower.service.web.mailbox.MailboxProblems.path;

import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.OptionalInt;
import java.util.Set;

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
import fleet.tower.service.web.http.Body;
import fleet.tower.service.web.http.Needs;
import fleet.tower.service.web.http.Problems;
import fleet.tower.service.web.http.Query;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Calls that send, receive, and manage whole mailboxes. */
@RestController
@RequestMapping(path = "/mailboxes", produces = MediaType.APPLICATION_JSON_VALUE)
final class MailboxController {
  private static final String MAILBOX = "mailbox";
  private static final String REQUEST_ID = "request_id";
  private static final String REPLY_TO = "reply_to";
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
  ResponseEntity<byte[]> send(@PathVariable(MAILBOX) String name, Body body) {
    body.allow("id", "body", REPLY_TO, "max_size");
    MailboxCommand.Send send = new MailboxCommand.Send(new MailboxName(name),
        body.text("id").map(MessageId::new).orElse(null), new fleet.tower.mailbox.Body(body.json("body")),
        body.text(REPLY_TO).map(MailboxName::new).orElse(null),
        body.integer("max_size", 1, MailboxCommand.Send.MAX_LIMIT).map(size -> OptionalInt.of(size.intValue()))
            .orElseGet(OptionalInt::empty));
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
  ResponseEntity<byte[]> receive(@PathVariable(MAILBOX) String name, Body body, Caller caller,
      HttpServletRequest request) {
    body.allow(REQUEST_ID, "max_messages", ReceiptController.VISIBILITY, "wait_time_seconds", "max_deliveries");
    MailboxCommand.Receive receive = new MailboxCommand.Receive(new MailboxName(name),
        body.integer("max_messages", 1, Integer.MAX_VALUE).map(Long::intValue).orElse(1),
        ReceiptController.visibility(body, Visibility.DEFAULT),
        body.integer("max_deliveries", 1, Integer.MAX_VALUE).map(Long::intValue)
            .orElse(MailboxCommand.Receive.DEFAULT_DELIVERIES));
    Duration wait = Duration
        .ofSeconds(body.integer("wait_time_seconds", 0, Mailboxes.MAX_WAIT.toSeconds()).orElse(0L));
    RequestId by = body.text(REQUEST_ID).map(RequestId::new).orElseGet(() -> RequestId.random(random));
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
  ResponseEntity<byte[]> revive(@PathVariable(MAILBOX) String name, Body body, Caller caller) {
    body.allow("ids");
    Set<MessageId> ids = new LinkedHashSet<>();
    body.texts("ids").stream().map(MessageId::new).forEach(ids::add);
    if (ids.isEmpty() && body.has("ids")) {
      throw Problems.invalid("ids", "'ids' names no dead letter", "omit it to revive all of them");
    }
    MailboxCommand.Revive revive = new MailboxCommand.Revive(new MailboxName(name), ids);
    return switch (mailboxes.revive(revive, caller.actor())) {
      case MailboxOutcome.Revived revived -> Enveloped.ok(MailboxJson.revived(revived));
      case MailboxOutcome.NoDeadLetter missing -> MailboxProblems.of(missing, revive.mailbox()).answer();
    };
  }
}

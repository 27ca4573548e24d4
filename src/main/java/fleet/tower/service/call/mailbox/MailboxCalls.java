package fleet.tower.service.call.mailbox;

import static fleet.tower.service.call.mailbox.MailboxProblems.path;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.Answer;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.Enveloped;
import fleet.tower.answer.MailboxJson;
import fleet.tower.lease.RequestId;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.MessageId;
import fleet.tower.mailbox.Visibility;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.service.call.AnyJson;
import fleet.tower.service.call.Body;
import fleet.tower.service.call.Needs;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;

/** Calls that send, receive, and manage whole mailboxes. */
public final class MailboxCalls {
  private static final String MAILBOX = "mailbox";

  private final Mailboxes mailboxes;
  private final WaitingCalls waits;
  private final SecureRandom random = new SecureRandom();

  public MailboxCalls(Mailboxes mailboxes, WaitingCalls waits) {
    this.mailboxes = mailboxes;
    this.waits = waits;
  }

  /** A message to send. */
  public record SendBody(@Nullable String id, @NotNull AnyJson body, @Nullable String replyTo,
      @Min(1) @Max(MailboxCommand.Send.MAX_LIMIT) @Nullable Integer maxSize) implements Body {}

  /** A request for messages. */
  public record ReceiveBody(@Nullable String requestId,
      @Min(1) @Max(Integer.MAX_VALUE) @Nullable Integer maxMessages,
      @Min(0) @Max(Visibility.MAX_SECONDS) @Nullable Long visibilityTimeout,
      @Min(0) @Max(Mailboxes.MAX_WAIT_SECONDS) @Nullable Long waitTimeSeconds,
      @Min(1) @Max(Integer.MAX_VALUE) @Nullable Integer maxDeliveries) implements Body {}

  /** The dead letters to return to their mailbox; null for all. */
  public record ReviveBody(@Nullable List<@NotNull String> ids) implements Body {}

  /** Passes all mailboxes to the reader until it returns false. */
  @Needs(Role.VIEWER)
  public void list(Predicate<JsonWriter> reader) {
    mailboxes.counts().stream().map(MailboxJson::count).takeWhile(reader).forEach(_ -> {});
  }

  /** A mailbox; it exists as soon as it is named, and one without messages is empty. */
  @Needs(Role.VIEWER)
  public Answer view(String name) {
    return Enveloped.ok(MailboxJson.count(mailboxes.count(new MailboxName(name))));
  }

  /** Sends a message. Whoever receives it may reply, so the caller must be allowed to use that mailbox, too. */
  @Needs(Role.AGENT)
  public Answer send(String name, SendBody body, Caller caller) {
    MailboxCommand.Send send = new MailboxCommand.Send(MailboxRights.require(caller, name),
        body.id() == null ? null : new MessageId(body.id()), new fleet.tower.mailbox.MessageBody(body.body().raw()),
        body.replyTo() == null ? null : MailboxRights.require(caller, body.replyTo()),
        body.maxSize() == null ? OptionalInt.empty() : OptionalInt.of(body.maxSize()), null);
    return switch (mailboxes.send(send)) {
      case MailboxOutcome.Sent sent when sent.replayed() -> Enveloped.replayed(MailboxJson.sent(sent));
      case MailboxOutcome.Sent sent -> Enveloped.created(MailboxJson.sent(sent));
      case MailboxOutcome.IdTaken taken -> MailboxProblems.of(taken, send.mailbox());
      case MailboxOutcome.Full full -> MailboxProblems.of(full, send.mailbox());
    };
  }

  /**
   * Leases messages. A wait ends when the service stops, when the request is withdrawn, or when its client is seen to
   * be gone; then nothing is leased.
   *
   * @param isConnected whether the client is connected as far as known
   */
  @Needs(Role.AGENT)
  public Answer receive(String name, ReceiveBody body, Caller caller, BooleanSupplier isConnected) {
    return receive(name, body, caller, isConnected, new Cancellation());
  }

  /** The same for a client whose disconnection is noticed. */
  @Needs(Role.AGENT)
  public Answer receive(String name, ReceiveBody body, Caller caller, Cancellation client) {
    return receive(name, body, caller, () -> !client.isCancelled(), client);
  }

  private Answer receive(String name, ReceiveBody body, Caller caller, BooleanSupplier isConnected,
      Cancellation client) {
    MailboxCommand.Receive receive = new MailboxCommand.Receive(MailboxRights.require(caller, name),
        Objects.requireNonNullElse(body.maxMessages(), 1),
        ReceiptCalls.visibility(body.visibilityTimeout(), Visibility.DEFAULT),
        Objects.requireNonNullElse(body.maxDeliveries(), MailboxCommand.Receive.DEFAULT_DELIVERIES), null);
    Duration wait = Duration.ofSeconds(Objects.requireNonNullElse(body.waitTimeSeconds(), 0L));
    RequestId by = body.requestId() == null ? RequestId.random(random) : new RequestId(body.requestId());
    if (wait.isZero()) {
      return Enveloped.ok(MailboxJson.received(mailboxes.receive(receive)));
    }
    return Enveloped.ok(MailboxJson.received(waits.during(path(receive.mailbox()), by, caller, client,
        cancellation -> mailboxes.receive(receive, wait, cancellation,
            () -> isConnected.getAsBoolean() && caller.credential().isValid()),
        received -> {
          mailboxes.returnAll(received);
          return MailboxOutcome.Received.NOTHING;
        })));
  }

  /** Ends a client's wait. The waiting call answers with nothing, or with messages leased just before. */
  @Needs(Role.AGENT)
  public Answer withdraw(String name, String requestId, Caller caller) {
    MailboxName mailbox = MailboxRights.require(caller, name);
    RequestId by = new RequestId(requestId);
    return waits.withdraw(path(mailbox), by, caller)
        ? Enveloped.ok(JsonWriter.line().put(MAILBOX, name).put("request_id", requestId).put("withdrawn", true))
        : MailboxProblems.notWaiting(mailbox, by);
  }

  /** Deletes all messages. */
  @Needs(Role.AGENT)
  public Answer purge(String name, Caller caller) {
    MailboxName mailbox = MailboxRights.require(caller, name);
    return Enveloped.ok(MailboxJson.purged(mailbox, mailboxes.purge(mailbox, caller.actor())));
  }

  /** Passes dead letters to the reader until it returns false. */
  @Needs(Role.VIEWER)
  public void dead(String name, int limit, Caller caller, Predicate<JsonWriter> reader) {
    mailboxes.dead(MailboxRights.require(caller, name), limit, letter -> reader.test(MailboxJson.deadLetter(letter)));
  }

  /** Deletes all dead letters. */
  @Needs(Role.AGENT)
  public Answer purgeDead(String name, Caller caller) {
    MailboxName mailbox = MailboxRights.require(caller, name);
    return Enveloped.ok(MailboxJson.purged(mailbox, mailboxes.purgeDead(mailbox, caller.actor())));
  }

  /** Revives all dead letters, or the named ones. An empty list is refused as a likely mistake. */
  @Needs(Role.AGENT)
  public Answer revive(String name, ReviveBody body, Caller caller) {
    MailboxName mailbox = MailboxRights.require(caller, name);
    Set<MessageId> ids = new LinkedHashSet<>();
    Objects.requireNonNullElse(body.ids(), List.<String>of()).stream().map(MessageId::new).forEach(ids::add);
    if (ids.isEmpty() && body.ids() != null) {
      throw CommonProblems.invalid("ids", "'ids' names no dead letter", "omit it to revive all of them");
    }
    MailboxCommand.Revive revive = new MailboxCommand.Revive(mailbox, ids);
    return switch (mailboxes.revive(revive, caller.actor())) {
      case MailboxOutcome.Revived revived -> Enveloped.ok(MailboxJson.revived(revived));
      case MailboxOutcome.NoDeadLetter missing -> MailboxProblems.of(missing, mailbox);
    };
  }
}

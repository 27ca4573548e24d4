package fleet.tower.operation;

import static fleet.tower.operation.MailboxOperations.MAILBOX;
import static java.util.Map.entry;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import fleet.tower.access.Caller;
import fleet.tower.lease.Actor;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltSource;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.MessageBody;
import fleet.tower.mailbox.MessageId;
import fleet.tower.mailbox.Receipt;
import fleet.tower.mailbox.Visibility;
import fleet.tower.operation.Handler.Request;
import fleet.tower.platform.disk.KernelRandom;

/**
 * Carries out the operations on mailboxes and messages. The name of a mailbox and its counts are visible to everyone;
 * for the rest a caller must be allowed to use it.
 */
public final class MailboxHandlers {
  private final Supplier<Mailboxes> mailboxes;
  private final HaltSource halts;
  private final WaitingCalls waits;
  private final RandomGenerator random = new KernelRandom();

  /**
   * @param mailboxes opens them on first use
   * @param halts what keeps callers from sending and receiving
   */
  public MailboxHandlers(Supplier<Mailboxes> mailboxes, HaltSource halts, WaitingCalls waits) {
    this.halts = halts;
    this.mailboxes = mailboxes;
    this.waits = waits;
  }

  /** The handler of each operation. */
  public Map<Operation, Handler> all() {
    return Map.ofEntries(
        entry(MailboxOperations.LIST, _ -> new MailboxCallOutcome.Listed(mailboxes.get().counts())),
        entry(MailboxOperations.VIEW, this::view), entry(MailboxOperations.RECEIVE, this::receive),
        entry(MailboxOperations.WITHDRAW, this::withdraw), entry(MailboxOperations.DEAD, this::dead),
        entry(MailboxOperations.PURGE, purging(Mailboxes::purge)),
        entry(MailboxOperations.PURGE_DEAD, purging(Mailboxes::purgeDead)),
        entry(MailboxOperations.SEND, performing(this::send)),
        entry(MailboxOperations.REVIVE, performing(MailboxHandlers::revive)),
        entry(MailboxOperations.ACK,
            performing(request -> new MailboxCommand.Ack(mailbox(request), receipt(request)))),
        entry(MailboxOperations.NACK, performing(request -> new MailboxCommand.Nack(mailbox(request), receipt(request),
            new Visibility(request.given().get(MailboxOperations.DELAY)),
            request.given().orNull(MailboxOperations.ERROR)))),
        entry(MailboxOperations.REJECT, performing(request -> new MailboxCommand.Reject(mailbox(request),
            receipt(request), request.given().get(MailboxOperations.ERROR)))),
        entry(MailboxOperations.EXTEND, performing(request -> new MailboxCommand.Extend(mailbox(request),
            receipt(request), new Visibility(request.given().get(MailboxOperations.LONGER))))),
        // The sender has named the mailbox of the replies, so the caller need not be allowed to use that one.
        entry(MailboxOperations.REPLY, performing(request -> new MailboxCommand.Reply(mailbox(request),
            receipt(request), body(request), !request.given().get(MailboxOperations.MORE)))));
  }

  private Handler performing(Function<Request, MailboxCommand> reading) {
    return request -> {
      MailboxCommand command = reading.apply(request);
      return new MailboxCallOutcome.Performed(command, perform(command, mailboxes.get(), request.caller().actor()));
    };
  }

  private static MailboxOutcome perform(MailboxCommand command, Mailboxes mailboxes, Actor actor) {
    return switch (command) {
      case MailboxCommand.Send send -> mailboxes.send(send);
      case MailboxCommand.Receive receive -> mailboxes.receive(receive);
      case MailboxCommand.Ack ack -> mailboxes.ack(ack);
      case MailboxCommand.Nack nack -> mailboxes.nack(nack);
      case MailboxCommand.Reject reject -> mailboxes.reject(reject, actor);
      case MailboxCommand.Extend extend -> mailboxes.extend(extend);
      case MailboxCommand.Reply reply -> mailboxes.reply(reply);
      case MailboxCommand.Revive revive -> mailboxes.revive(revive, actor);
    };
  }

  private Outcome view(Request request) {
    MailboxName mailbox = new MailboxName(request.given().get(MAILBOX));
    return new MailboxCallOutcome.Counted(mailboxes.get().count(mailbox));
  }

  private Outcome dead(Request request) {
    MailboxName mailbox = mailbox(request);
    int limit = request.given().get(MailboxOperations.LIMIT).intValue();
    return new MailboxCallOutcome.DeadLetters(reader -> mailboxes.get().dead(mailbox, limit, reader));
  }

  /** Deletes messages of a mailbox, and returns their number. */
  @FunctionalInterface
  private interface Purge {
    long of(Mailboxes mailboxes, MailboxName mailbox, Actor actor);
  }

  private Handler purging(Purge purge) {
    return request -> {
      MailboxName mailbox = mailbox(request);
      return new MailboxCallOutcome.Purged(mailbox, purge.of(mailboxes.get(), mailbox, request.caller().actor()));
    };
  }

  private void requireNotHalted(Request request) {
    HaltedCall.require(halts, Halt.Subject.of(request.caller().actor(), null, null));
  }

  /** Whoever receives a message may reply, so the sender must be allowed to use the mailbox of the replies, too. */
  private MailboxCommand send(Request request) {
    requireNotHalted(request);
    Given given = request.given();
    return new MailboxCommand.Send(mailbox(request), given.find(MailboxOperations.ID).map(MessageId::new).orElse(null),
        body(request), given.find(MailboxOperations.REPLY_TO).map(name -> allowed(name, request)).orElse(null),
        given.find(MailboxOperations.MAX_SIZE).map(size -> OptionalInt.of(size.intValue()))
            .orElseGet(OptionalInt::empty),
        null);
  }

  /** Revives all dead letters, or the named ones. */
  private static MailboxCommand revive(Request request) {
    Set<MessageId> ids = new LinkedHashSet<>();
    request.given().find(MailboxOperations.IDS)
        .ifPresent(those -> those.stream().map(MessageId::new).forEach(ids::add));
    return new MailboxCommand.Revive(mailbox(request), ids);
  }

  /**
   * Leases messages. A wait ends when the service stops, when the request is withdrawn, when its client is seen to be
   * gone, or when a halt covers its caller; then nothing is leased.
   */
  private Outcome receive(Request request) {
    Given given = request.given();
    MailboxCommand.Receive receive = new MailboxCommand.Receive(mailbox(request),
        (int) Math.min(given.get(MailboxOperations.MAX_MESSAGES), MailboxCommand.Receive.MAX_MESSAGES),
        new Visibility(given.get(MailboxOperations.VISIBILITY)),
        given.get(MailboxOperations.MAX_DELIVERIES).intValue(), null, request.caller().name());
    Duration wait = Duration.ofSeconds(given.get(MailboxOperations.WAIT));
    Optional<RequestId> named = given.find(CommonArgs.REQUEST_ID).map(RequestId::new);
    Mailboxes open = mailboxes.get();
    if (wait.isZero()) {
      requireNotHalted(request);
      return new MailboxCallOutcome.Performed(receive, open.receive(receive));
    }
    Caller caller = request.caller();
    Handler.Client client = request.client();
    return new MailboxCallOutcome.Performed(receive, waits.during(place(receive.mailbox()),
        named.orElseGet(() -> RequestId.random(random)), caller, client.gone(),
        cancellation -> open.receive(receive.mailbox(), () -> {
          requireNotHalted(request);
          return receive;
        }, wait, cancellation, () -> client.isThere().getAsBoolean() && caller.credential().isValid()),
        received -> {
          open.returnAll(received);
          return MailboxOutcome.Received.NOTHING;
        }));
  }

  /** Ends a client's wait. The waiting call answers with nothing, or with messages leased just before. */
  private Outcome withdraw(Request request) {
    MailboxName mailbox = mailbox(request);
    RequestId by = new RequestId(request.given().get(MailboxOperations.WITHDRAWN));
    return new MailboxCallOutcome.Withdrawn(mailbox, by, waits.withdraw(place(mailbox), by, request.caller()));
  }

  private static MailboxName mailbox(Request request) {
    return allowed(request.given().get(MAILBOX), request);
  }

  private static MailboxName allowed(String name, Request request) {
    MailboxName mailbox = new MailboxName(name);
    request.caller().requireMailbox(mailbox.value());
    return mailbox;
  }

  private static Receipt receipt(Request request) {
    return Receipt.of(request.given().get(MailboxOperations.RECEIPT));
  }

  private static MessageBody body(Request request) {
    return new MessageBody(request.given().get(MailboxOperations.BODY));
  }

  private static String place(MailboxName mailbox) {
    return "/mailboxes/" + mailbox;
  }
}

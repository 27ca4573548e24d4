package fleet.tower.cli.remote.mailbox;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import fleet.tower.answer.MailboxJson;
import fleet.tower.answer.RemoteRefusal;
import fleet.tower.cli.mailbox.MailboxClient;
import fleet.tower.lease.RequestId;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.MessageId;
import fleet.tower.mailbox.Visibility;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Rows;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.remote.PatientCall;
import fleet.tower.remote.Server;

/** The mailboxes of a service. Its refusals are thrown as {@link RemoteRefusal}. */
public final class RemoteMailboxClient implements MailboxClient {
  private static final String MAILBOXES = "/mailboxes";
  private static final String VISIBILITY = "visibility_timeout";
  private static final String DEAD = "/dead";

  private final Server server;
  private final Scheduler scheduler;
  private final Supplier<RequestId> newIds;

  /** @param newIds creates unique ids */
  public RemoteMailboxClient(Server server, Scheduler scheduler, Supplier<RequestId> newIds) {
    this.server = server;
    this.scheduler = scheduler;
    this.newIds = newIds;
  }

  private static String path(MailboxName mailbox) {
    return MAILBOXES + "/" + mailbox;
  }

  private JsonObject post(MailboxName mailbox, String what, JsonWriter body) {
    return MailboxReader.data(server.post(path(mailbox) + what, body, Map.of(), Duration.ZERO).json());
  }

  @Override
  public MailboxOutcome perform(MailboxCommand command) {
    return switch (command) {
      case MailboxCommand.Send send -> MailboxReader.sent(post(send.mailbox(), "/messages", body(send)));
      case MailboxCommand.Receive receive -> receive(receive, newIds.get(), Duration.ZERO);
      case MailboxCommand.Revive revive ->
        MailboxReader.revived(post(revive.mailbox(), DEAD + "/revive", body(revive)));
      case MailboxCommand.Ack ack -> MailboxReader.acked(byReceipt(ack, "/ack", JsonWriter.line()));
      case MailboxCommand.Nack nack -> MailboxReader.returned(byReceipt(nack, "/nack",
          JsonWriter.line().put(VISIBILITY, nack.delay().seconds()).put("error", nack.error())));
      case MailboxCommand.Reject reject -> new MailboxOutcome.Rejected(
          MailboxReader.deadLetter(byReceipt(reject, "/reject", JsonWriter.line().put("error", reject.error()))));
      case MailboxCommand.Extend extend -> MailboxReader.extended(
          byReceipt(extend, "/extend", JsonWriter.line().put(VISIBILITY, extend.by().seconds())));
      case MailboxCommand.Reply reply -> MailboxReader.replied(byReceipt(reply, "/reply",
          JsonWriter.line().raw("body", reply.body().json()).put("more", !reply.isLast())));
    };
  }

  private JsonObject byReceipt(MailboxCommand.ByReceipt command, String what, JsonWriter more) {
    return post(command.mailbox(), what,
        JsonWriter.line().put("receipt_handle", command.receipt().handle()).members(more));
  }

  private static JsonWriter body(MailboxCommand.Send send) {
    MessageId id = send.id();
    MailboxName replyTo = send.replyTo();
    JsonWriter body = JsonWriter.line().raw("body", send.body().json()).put("id", id == null ? null : id.value())
        .put("reply_to", replyTo == null ? null : replyTo.value());
    return send.limit().isPresent() ? body.put("max_size", send.limit().getAsInt()) : body;
  }

  private static JsonWriter body(MailboxCommand.Revive revive) {
    JsonWriter body = JsonWriter.line();
    return revive.ids().isEmpty()
        ? body
        : body.list("ids", revive.ids().stream().map(id -> JsonWriter.quote(id.value())).toList());
  }

  private MailboxOutcome.Received receive(MailboxCommand.Receive command, RequestId by, Duration wait) {
    JsonWriter body = JsonWriter.line().put("request_id", by.value()).put("max_messages", command.maxMessages())
        .put(VISIBILITY, command.visibility().seconds()).put("max_deliveries", command.maxDeliveries())
        .put("wait_time_seconds", wait.plusMillis(999).toSeconds());
    return MailboxReader.received(MailboxReader.data(
        server.post(path(command.mailbox()) + "/receive", body, Map.of(), wait).json()));
  }

  @Override
  public MailboxOutcome.Received receive(MailboxCommand.Receive command, Duration wait, Cancellation cancellation) {
    RequestId by = newIds.get();
    if (wait.isZero()) {
      return receive(command, by, wait);
    }
    MailboxOutcome.Received received = new PatientCall(server, path(command.mailbox()), by, cancellation, scheduler)
        .await(() -> receive(command, by, wait), MailboxOutcome.Received.NOTHING);
    if (!cancellation.isCancelled()) {
      return received;
    }
    received.deliveries().forEach(this::giveBack);
    return MailboxOutcome.Received.NOTHING;
  }

  /** Returns a message to the mailbox; if that fails, it is offered again when its lease expires. */
  private void giveBack(Message.Delivery delivery) {
    try {
      perform(new MailboxCommand.Nack(delivery.mailbox(), delivery.receipt(), Visibility.NONE, null));
    } catch (RemoteRefusal refusal) {
      if (!refusal.is(ErrorCode.RECEIPT_HANDLE_EXPIRED)) {
        throw refusal;
      }
    }
  }

  @Override
  public MailboxStore.Count count(MailboxName mailbox) {
    return MailboxReader.count(MailboxReader.data(server.get(path(mailbox)).json()));
  }

  @Override
  public List<MailboxStore.Count> counts() {
    return MailboxReader.data(server.get(MAILBOXES).json()).objects("mailboxes").stream().map(MailboxReader::count)
        .toList();
  }

  @Override
  public Rows<Message.DeadLetter> dead(MailboxName mailbox, int limit) {
    return Rows.read(MailboxReader.data(server.get(path(mailbox) + DEAD + "?limit=" + limit).json()),
        MailboxJson.DEAD_LETTERS, MailboxReader::deadLetter);
  }

  @Override
  public long purge(MailboxName mailbox) {
    return purge(path(mailbox) + "/messages");
  }

  @Override
  public long purgeDead(MailboxName mailbox) {
    return purge(path(mailbox) + DEAD);
  }

  private long purge(String path) {
    return MailboxReader.data(server.delete(path).json()).integer("purged").orElse(0);
  }

  @Override
  public void close() {
    // Every call has a connection of its own.
  }
}

package fleet.tower.answer;

import java.util.List;

import fleet.tower.access.Role;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.Receipt;
import fleet.tower.platform.json.JsonWriter;

/** The steps that help after refusals about mailboxes, the same at both doors. */
public final class MailboxActions {
  private MailboxActions() {}

  /** The steps after a refusal. */
  public static List<NextStep> of(MailboxOutcome.Refusal refusal, MailboxName mailbox) {
    return switch (refusal) {
      case MailboxOutcome.IdTaken _,MailboxOutcome.NoReplyAddress _ -> List.of(count(mailbox));
      case MailboxOutcome.Full _ -> List.of(NextStep.again("send it again when there is room"), count(mailbox));
      case MailboxOutcome.NoDeadLetter _ -> List.of(dead(mailbox));
      case MailboxOutcome.OldReceipt(var _, MailboxOutcome.Reason reason) -> switch (reason) {
        case DEAD -> List.of(dead(mailbox));
        case EXPIRED, PASSED_ON, GONE -> List.of(NextStep.call(Role.AGENT, "POST", path(mailbox) + "/receive",
            JsonWriter.line(), new CommandLine("mailbox receive").operand(mailbox.value()).toString(),
            "receive the next one"));
      };
    };
  }

  /** The steps after a reply to a message that was sent without a reply address. */
  public static List<NextStep> unanswerable(MailboxName mailbox, Receipt receipt) {
    return List.of(NextStep.call(Role.AGENT, "POST", path(mailbox) + "/ack",
        JsonWriter.line().put("receipt_handle", receipt.handle()),
        new CommandLine("mailbox ack").operand(mailbox.value()).operand(receipt.handle()).toString(),
        "acknowledge it without a reply"), count(mailbox));
  }

  /** The call that counts the messages of a mailbox. */
  public static NextStep count(MailboxName mailbox) {
    return NextStep.get(path(mailbox), new CommandLine("mailbox count").operand(mailbox.value()).toString(),
        "count its messages");
  }

  private static NextStep dead(MailboxName mailbox) {
    return NextStep.get(path(mailbox) + "/dead",
        new CommandLine("mailbox dead").operand(mailbox.value()).toString(), "see its dead letters");
  }

  private static String path(MailboxName mailbox) {
    return "/mailboxes/" + mailbox;
  }
}

package fleet.tower.openapi;

import fleet.tower.openapi.CheckedClient.Later;
import fleet.tower.service.config.TestService.Answer;

/** The calls about mailboxes. */
final class MailboxCalls {
  private final CheckedClient drive;

  MailboxCalls(CheckedClient drive) {
    this.drive = drive;
  }

  private CheckedClient.Call on(String operation, String mailbox) {
    return drive.call(operation).with("mailbox", mailbox);
  }

  private void send(String mailbox, String id) {
    on("sendMessage", mailbox).send("{'id':'" + id + "','body':1}").answers(201);
  }

  /** The receipt of the next message. */
  private String receive(String mailbox) {
    Answer answer = on("receiveMessages", mailbox).send("{'visibility_timeout':60}").answers(200);
    return answer.body().replaceFirst("(?s).*\"receipt_handle\":\"([^\"]*)\".*", "$1");
  }

  private static String show(String receipt, String more) {
    return "{'receipt_handle':'" + receipt + "'" + more + "}";
  }

  void life() {
    String message = "{'id':'m1','body':{'app':'web'},'reply_to':'answers','max_size':2}";
    on("sendMessage", "jobs").send(message).answers(201);
    on("sendMessage", "jobs").send(message).answers(200);
    on("sendMessage", "jobs").send("{'id':'m1','body':2}").answers(409, "message_exists");
    on("sendMessage", "jobs").send("{'body':null}").answers(201);
    on("sendMessage", "jobs").send("{'body':[1],'max_size':2}").answers(507, "mailbox_full");
    on("sendMessage", "jobs").send("{}").answers(400, "invalid_request");
    drive.call("listMailboxes").answers(200);
    on("getMailbox", "jobs").answers(200);
    on("getMailbox", "none").answers(200);
    String receipt = receive("jobs");
    on("extendMessage", "jobs").send(show(receipt, ",'visibility_timeout':60")).answers(200);
    on("replyToMessage", "jobs").send(show(receipt, ",'body':{'half':true},'more':true")).answers(200);
    on("replyToMessage", "jobs").send(show(receipt, ",'body':{'done':true}")).answers(200);
    receive("answers");
    String second = receive("jobs");
    on("replyToMessage", "jobs").send(show(second, ",'body':1")).answers(422, "reply_not_available");
    for (int i = 0; i < OperationsTest.MAILBOX_SIZE; i++) {
      send("crowded", "c" + i);
    }
    on("sendMessage", "crowded").send("{'body':1}").answers(507, "mailbox_full");
    on("sendMessage", "asking").send("{'body':1,'reply_to':'crowded'}").answers(201);
    on("replyToMessage", "asking").send(show(receive("asking"), ",'body':1")).answers(507, "mailbox_full");
    on("nackMessage", "jobs").send(show(second, ",'visibility_timeout':0,'error':'no room'")).answers(200);
    on("ackMessage", "jobs").send(show(receive("jobs"), "")).answers(200);
    on("purgeMailbox", "jobs").answers(200);
  }

  void oldReceipts() {
    send("old", "o1");
    String receipt = receive("old");
    on("ackMessage", "old").send(show(receipt, "")).answers(200);
    on("ackMessage", "old").send(show(receipt, "")).answers(409, "receipt_handle_expired");
    on("nackMessage", "old").send(show(receipt, "")).answers(409, "receipt_handle_expired");
    on("rejectMessage", "old").send(show(receipt, ",'error':'no'")).answers(409, "receipt_handle_expired");
    on("extendMessage", "old").send(show(receipt, "")).answers(409, "receipt_handle_expired");
    on("replyToMessage", "old").send(show(receipt, ",'body':1")).answers(409, "receipt_handle_expired");
    on("ackMessage", "old").send(show("nonsense", "")).answers(400, "invalid_request");
  }

  void deadLetters() {
    send("bad", "b1");
    on("rejectMessage", "bad").send(show(receive("bad"), ",'error':'no such app'")).answers(200);
    send("bad", "b2");
    for (int i = 0; i < 2; i++) {
      on("receiveMessages", "bad").send("{'visibility_timeout':0,'max_deliveries':1,'max_messages':2}").answers(200);
    }
    on("listDeadLetters", "bad").answers(200);
    on("listDeadLetters", "bad").with("limit", "1").answers(200);
    on("reviveDeadLetters", "bad").send("{'ids':['b1']}").answers(200);
    on("reviveDeadLetters", "bad").send("{'ids':['none']}").answers(404, "dead_letter_not_found");
    on("reviveDeadLetters", "bad").answers(200);
    on("purgeDeadLetters", "bad").answers(200);
  }

  void waiting() {
    Later waiter = on("receiveMessages", "quiet").send("{'request_id':'w1','wait_time_seconds':60}").later();
    on("withdrawReceive", "quiet").with("request_id", "w2").answers(404, "not_waiting");
    // No call shows the waiters for a message, so the request is withdrawn repeatedly until it was waiting.
    on("withdrawReceive", "quiet").with("request_id", "w1").answersAtLast(200);
    waiter.answers(200);
  }
}

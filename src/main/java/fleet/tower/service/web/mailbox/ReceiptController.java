package fleet.tower.service.web.mailbox;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.service.call.Needs;
import fleet.tower.service.call.mailbox.ReceiptCalls;
import fleet.tower.service.web.http.Json;

/** Maps the paths of calls by the worker that has the receipt of a message. */
@RestController
@RequestMapping(path = "/mailboxes/{mailbox}", produces = MediaType.APPLICATION_JSON_VALUE)
final class ReceiptController {
  private static final String MAILBOX = "mailbox";

  private final ReceiptCalls calls;

  ReceiptController(ReceiptCalls calls) {
    this.calls = calls;
  }

  @Needs(Role.AGENT)
  @PostMapping("/ack")
  ResponseEntity<byte[]> ack(@PathVariable(MAILBOX) String name, ReceiptCalls.AckBody body, Caller caller) {
    return Json.answer(calls.ack(name, body, caller));
  }

  @Needs(Role.AGENT)
  @PostMapping("/nack")
  ResponseEntity<byte[]> nack(@PathVariable(MAILBOX) String name, ReceiptCalls.NackBody body, Caller caller) {
    return Json.answer(calls.nack(name, body, caller));
  }

  @Needs(Role.AGENT)
  @PostMapping("/reject")
  ResponseEntity<byte[]> reject(@PathVariable(MAILBOX) String name, ReceiptCalls.RejectBody body, Caller caller) {
    return Json.answer(calls.reject(name, body, caller));
  }

  @Needs(Role.AGENT)
  @PostMapping("/extend")
  ResponseEntity<byte[]> extend(@PathVariable(MAILBOX) String name, ReceiptCalls.ExtendBody body, Caller caller) {
    return Json.answer(calls.extend(name, body, caller));
  }

  @Needs(Role.AGENT)
  @PostMapping("/reply")
  ResponseEntity<byte[]> reply(@PathVariable(MAILBOX) String name, ReceiptCalls.ReplyBody body, Caller caller) {
    return Json.answer(calls.reply(name, body, caller));
  }
}

package fleet.tower.service.web.mailbox;

import java.io.IOException;

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
import fleet.tower.answer.MailboxJson;
import fleet.tower.service.call.Needs;
import fleet.tower.service.call.mailbox.MailboxCalls;
import fleet.tower.service.web.call.Client;
import fleet.tower.service.web.http.Json;
import fleet.tower.service.web.http.Query;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Maps the paths of calls that send, receive, and manage whole mailboxes. */
@RestController
@RequestMapping(path = "/mailboxes", produces = MediaType.APPLICATION_JSON_VALUE)
final class MailboxController {
  private static final String MAILBOX = "mailbox";
  private static final String REQUEST_ID = "request_id";
  private static final String ONE = "/{mailbox}";
  private static final int DEFAULT_LIMIT = 100;
  private static final int MAX_LIMIT = 10_000;

  private final MailboxCalls calls;

  MailboxController(MailboxCalls calls) {
    this.calls = calls;
  }

  @Needs(Role.VIEWER)
  @GetMapping
  void all(Query query, HttpServletResponse response) throws IOException {
    query.allow();
    Json.enveloped(response, "mailboxes", rows -> calls.list(rows::add));
  }

  @Needs(Role.VIEWER)
  @GetMapping(ONE)
  ResponseEntity<byte[]> one(@PathVariable(MAILBOX) String name, Query query) {
    query.allow();
    return Json.answer(calls.view(name));
  }

  @Needs(Role.AGENT)
  @PostMapping(ONE + "/messages")
  ResponseEntity<byte[]> send(@PathVariable(MAILBOX) String name, MailboxCalls.SendBody body, Caller caller) {
    return Json.answer(calls.send(name, body, caller));
  }

  @Needs(Role.AGENT)
  @PostMapping(ONE + "/receive")
  ResponseEntity<byte[]> receive(@PathVariable(MAILBOX) String name, MailboxCalls.ReceiveBody body, Caller caller,
      HttpServletRequest request) {
    return Json.answer(calls.receive(name, body, caller, () -> Client.of(request).isThere()));
  }

  @Needs(Role.AGENT)
  @DeleteMapping(ONE + "/waiters/{request_id}")
  ResponseEntity<byte[]> withdraw(@PathVariable(MAILBOX) String name, @PathVariable(REQUEST_ID) String requestId,
      Query query, Caller caller) {
    query.allow();
    return Json.answer(calls.withdraw(name, requestId, caller));
  }

  @Needs(Role.AGENT)
  @DeleteMapping(ONE + "/messages")
  ResponseEntity<byte[]> purge(@PathVariable(MAILBOX) String name, Query query, Caller caller) {
    query.allow();
    return Json.answer(calls.purge(name, caller));
  }

  @Needs(Role.VIEWER)
  @GetMapping(ONE + "/dead")
  void dead(@PathVariable(MAILBOX) String name, Query query, Caller caller, HttpServletResponse response)
      throws IOException {
    query.allow("limit");
    int limit = query.integer("limit", 1, MAX_LIMIT).orElse(DEFAULT_LIMIT);
    Json.enveloped(response, MailboxJson.DEAD_LETTERS, rows -> calls.dead(name, limit, caller, rows::add));
  }

  @Needs(Role.AGENT)
  @DeleteMapping(ONE + "/dead")
  ResponseEntity<byte[]> purgeDead(@PathVariable(MAILBOX) String name, Query query, Caller caller) {
    query.allow();
    return Json.answer(calls.purgeDead(name, caller));
  }

  @Needs(Role.AGENT)
  @PostMapping(ONE + "/dead/revive")
  ResponseEntity<byte[]> revive(@PathVariable(MAILBOX) String name, MailboxCalls.ReviveBody body, Caller caller) {
    return Json.answer(calls.revive(name, body, caller));
  }
}

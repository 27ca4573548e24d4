package fleet.tower.service.web.access;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.CallerJson;
import fleet.tower.service.call.Needs;
import fleet.tower.service.web.http.Json;
import fleet.tower.service.web.http.Query;

/** The call with which a caller learns its own rights. */
@RestController
@RequestMapping(path = "/me", produces = MediaType.APPLICATION_JSON_VALUE)
final class CallerController {

  @Needs(Role.VIEWER)
  @GetMapping
  ResponseEntity<byte[]> me(Query query, Caller caller) {
    query.allow();
    return Json.ok(CallerJson.caller(caller));
  }
}

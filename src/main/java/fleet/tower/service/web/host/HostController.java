package fleet.tower.service.web.host;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Role;
import fleet.tower.answer.HostJson;
import fleet.tower.run.members.Hosts;
import fleet.tower.service.call.Needs;
import fleet.tower.service.web.http.Json;
import fleet.tower.service.web.http.Query;

/** Calls that list hosts with their runs and locks. */
@RestController
@RequestMapping(path = "/hosts", produces = MediaType.APPLICATION_JSON_VALUE)
final class HostController {
  private final Hosts hosts;

  HostController(Hosts hosts) {
    this.hosts = hosts;
  }

  @Needs(Role.VIEWER)
  @GetMapping
  ResponseEntity<byte[]> all(Query query) {
    query.allow();
    return Json.ok(HostJson.hosts(hosts.list()));
  }
}

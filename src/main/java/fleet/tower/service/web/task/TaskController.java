package fleet.tower.service.web.task;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.service.call.Needs;
import fleet.tower.service.call.task.TaskCalls;
import fleet.tower.service.web.http.Json;

/** Maps the paths of calls that change tasks. */
@RestController
@RequestMapping(path = "/tasks", produces = MediaType.APPLICATION_JSON_VALUE)
final class TaskController {
  private final TaskCalls calls;

  TaskController(TaskCalls calls) {
    this.calls = calls;
  }

  @Needs(Role.AGENT)
  @PostMapping
  ResponseEntity<byte[]> create(TaskCalls.CreateBody body, Caller caller) {
    return Json.answer(calls.create(body, caller));
  }

  @Needs(Role.AGENT)
  @PostMapping("/claim")
  ResponseEntity<byte[]> claim(TaskCalls.ClaimBody body, Caller caller) {
    return Json.answer(calls.claim(body, caller));
  }

  @Needs(Role.AGENT)
  @PostMapping("/resume")
  ResponseEntity<byte[]> resume(TaskCalls.ResumeBody body, Caller caller) {
    return Json.answer(calls.resume(body, caller));
  }

  @Needs(Role.AGENT)
  @PostMapping("/gc")
  ResponseEntity<byte[]> sweep(TaskCalls.SweepBody body, Caller caller) {
    return Json.answer(calls.sweep(body, caller));
  }

  @Needs(Role.AGENT)
  @PostMapping("/{id}/start")
  ResponseEntity<byte[]> start(@PathVariable("id") String id, TaskCalls.HoldBody body, Caller caller) {
    return Json.answer(calls.start(id, body, caller));
  }

  @Needs(Role.AGENT)
  @PostMapping("/{id}/heartbeat")
  ResponseEntity<byte[]> heartbeat(@PathVariable("id") String id, TaskCalls.HoldBody body, Caller caller) {
    return Json.answer(calls.heartbeat(id, body, caller));
  }

  @Needs(Role.AGENT)
  @PostMapping("/{id}/close")
  ResponseEntity<byte[]> close(@PathVariable("id") String id, TaskCalls.CloseBody body, Caller caller) {
    return Json.answer(calls.close(id, body, caller));
  }

  @Needs(Role.AGENT)
  @PostMapping("/{id}/release")
  ResponseEntity<byte[]> release(@PathVariable("id") String id, TaskCalls.ReleaseBody body, Caller caller) {
    return Json.answer(calls.release(id, body, caller));
  }
}

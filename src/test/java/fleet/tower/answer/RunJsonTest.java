package fleet.tower.answer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.intent.Controls;
import fleet.tower.intent.Intent;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunStatus;
import fleet.tower.run.Runs;
import fleet.tower.run.StepRecord;

@DisplayName("A run has the same JSON on every interface")
class RunJsonTest {
  private static final String HEAD = "{\"request_id\":\"r\",\"intent\":\"deploy-app\",\"intent_version\":\"1.2.0\","
      + "\"mode\":\"mutate\",\"actor\":\"anna\",";

  @Test
  @DisplayName("A new run has no result, no lock and no end; its steps have neither exit code nor time")
  void unfinished() {
    assertThat(RunJson.run(Runs.waiting("r"), _ -> "").end()).isEqualTo(HEAD
        + "\"status\":\"waiting\",\"result\":null,\"lock\":null,\"warnings\":[],\"steps\":["
        + "{\"name\":\"build\",\"status\":\"pending\",\"exit_code\":null,\"started_at\":null,\"duration_ms\":0,\"output_tail\":\"\"},"
        + "{\"name\":\"ship\",\"status\":\"pending\",\"exit_code\":null,\"started_at\":null,\"duration_ms\":0,\"output_tail\":\"\"}],"
        + "\"rollback\":[],\"metadata\":{},\"created_at\":\"2026-11-20T12:00:00Z\",\"finished_at\":null}");
  }

  @Test
  @DisplayName("A failed run shows the step, its lock, its rollback, and the last output of each step")
  void failed() {
    assertThat(RunJson.run(failedRun(null), step -> step.logName() + " said\n\"no\"").end()).isEqualTo(HEAD
        + "\"on_behalf_of\":\"bert\",\"status\":\"failed\",\"result\":\"failure\",\"failure_step\":\"ship\","
        + "\"lock\":{\"lock_name\":\"app-prod\",\"lock_path\":\"/home/app-prod.lock\",\"ttl_seconds\":1800,"
        + "\"fencing_token\":7,\"heartbeat\":\"timer\",\"stolen\":true},\"heartbeat_failures\":0,\"warnings\":[\"it is \\\"late\\\"\"],\"steps\":["
        + "{\"name\":\"build\",\"status\":\"succeeded\",\"exit_code\":0,\"started_at\":\"2026-11-20T12:00:00Z\","
        + "\"duration_ms\":1234,\"log\":\"build\",\"output_tail\":\"build said\\n\\\"no\\\"\"},"
        + "{\"name\":\"ship\",\"status\":\"failed\",\"exit_code\":127,\"started_at\":\"2026-11-20T12:00:02Z\","
        + "\"duration_ms\":3,\"log\":\"ship\",\"output_tail\":\"ship said\\n\\\"no\\\"\",\"note\":\"no such program\"}],"
        + "\"rollback\":[{\"name\":\"build\",\"status\":\"succeeded\",\"exit_code\":0,"
        + "\"started_at\":\"2026-11-20T12:00:03Z\",\"duration_ms\":10,\"log\":\"build.rollback\",\"output_tail\":\"build.rollback said\\n\\\"no\\\"\"}],"
        + "\"metadata\":{\"ticket\": 7},\"created_at\":\"2026-11-20T12:00:00Z\",\"finished_at\":\"2026-11-20T12:01:00Z\"}");
  }

  @Test
  @DisplayName("In a list a run has no output and no names of it")
  void summary() {
    assertThat(RunJson.summary(failedRun(null)).end()).isEqualTo(
        RunJson.run(failedRun(null), _ -> "").end().replaceAll(",\"log\":\"[a-z.]+\",\"output_tail\":\"\"", ""));
  }

  @Test
  @DisplayName("A skipped rollback is a list with the reason")
  void rollbackSkipped() {
    Run run = Runs.with(Runs.waiting("r"), RunStatus.LOCK_LOST, null,
        new Run.Progress(List.of(), List.of(), null, "lock lost"), Runs.NOON);

    assertThat(RunJson.run(run, _ -> "").end()).isEqualTo(HEAD
        + "\"status\":\"lock_lost\",\"result\":\"failure\",\"lock\":null,\"warnings\":[],\"steps\":[],"
        + "\"rollback\":[{\"name\":\"rollback\",\"status\":\"skipped\",\"note\":\"skipped: lock lost\"}],"
        + "\"metadata\":{},\"created_at\":\"2026-11-20T12:00:00Z\",\"finished_at\":\"2026-11-20T12:00:00Z\"}");
  }

  @Test
  @DisplayName("A rejected run has the stored rejection")
  void refused() {
    assertThat(RunJson.summary(failedRun(new RunRefusal.TooManyWaiters(new LeaseName("app-prod"), 64))).end())
        .contains(
            ",\"failure_step\":\"ship\",\"error\":\"too_many_waiters\",\"refusal\":{\"error\":\"too_many_waiters\",\"lock_name\":\"app-prod\","
                + "\"waiters\":64,\"suggestion\":\"Try again when fewer wait\"},\"lock\":");
  }

  private static Run failedRun(@Nullable RunRefusal refusal) {
    Run.Header header = Run.Header.of(new RequestId("r"), new Run.Subject("deploy-app", "1.2.0", Intent.Mode.MUTATE),
        new Run.Origin(new Actor("anna", "bert", Door.HTTP), "{\"ticket\": 7}", null), Runs.NOON);
    Run.LockNote lock = new Run.LockNote(new LeaseName("app-prod"), "/home/app-prod.lock", new Ttl(1800),
        new FencingToken(7), Controls.Heartbeat.TIMER, true, 0, false);
    Run.Progress progress = new Run.Progress(
        List.of(Runs.step("build", StepRecord.Status.SUCCEEDED),
            new StepRecord("ship", StepRecord.Kind.STEP, StepRecord.Status.FAILED, 127, Runs.NOON.plusMillis(2000), 3,
                "no such program", null)),
        List.of(new StepRecord("build", StepRecord.Kind.STEP_ROLLBACK, StepRecord.Status.SUCCEEDED, 0,
            Runs.NOON.plusMillis(3000), 10, null, null)),
        "ship", null);
    return new Run(header, RunStatus.FAILED, lock, progress, List.of("it is \"late\""), refusal,
        Runs.NOON.plusMillis(60_000), null, null);
  }
}

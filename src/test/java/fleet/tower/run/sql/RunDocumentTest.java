package fleet.tower.run.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.intent.Intent;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonException;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.Runs;

class RunDocumentTest {

  private static Run queued(Run.Declaration declaration) {
    Run.Header header = Run.Header.of(new RequestId("r1"), new Run.Subject("deploy", "1.0.0", Intent.Mode.MUTATE),
        new Run.Origin(new Actor("ada", Door.RUN), "{}", null), Instant.EPOCH).queuedAs("{\"params\":[]}")
        .withDeclaration(declaration);
    return new Run(header, RunStatus.WAITING, null, Run.Progress.of(List.of()), List.of(), null, null, null, null);
  }

  @Test
  @DisplayName("A queued run keeps its request, its digest and its labels")
  void queued() throws Exception {
    Run anywhere = queued(new Run.Declaration("d1", List.of()));
    Run labelled = queued(new Run.Declaration("d1", List.of("gpu")));

    assertThat(RunDocument.read(RunDocument.write(anywhere))).isEqualTo(anywhere).matches(Run::isQueued);
    assertThat(RunDocument.read(RunDocument.write(labelled))).isEqualTo(labelled).matches(Run::isQueued);
  }

  @Test
  @DisplayName("A refused run is stored as refused")
  void refused() throws JsonException {
    Run refused = Runs.with(Runs.waiting("r"), RunStatus.REFUSED, Runs.TIMED_OUT, Runs.waiting("r").progress(),
        Runs.NOON);

    String document = RunDocument.write(refused);

    assertThat(document).contains("\"status\":\"refused\"");
    assertThat(RunDocument.read(document)).isEqualTo(refused);
  }
}

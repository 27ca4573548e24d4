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
import fleet.tower.platform.json.JsonReader;
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
  @DisplayName("A queued run that requires labels does not look queued to a version that does not know them, which "
      + "thus never takes it")
  void restricted() throws Exception {
    Run anywhere = queued(new Run.Declaration("d1", List.of()));
    Run restricted = queued(new Run.Declaration("d1", List.of("gpu")));

    assertThat(JsonReader.readObject(RunDocument.write(anywhere)).text("order")).isPresent();
    assertThat(JsonReader.readObject(RunDocument.write(restricted)).text("order")).isEmpty();
    assertThat(RunDocument.read(RunDocument.write(anywhere))).isEqualTo(anywhere);
    assertThat(RunDocument.read(RunDocument.write(restricted))).isEqualTo(restricted).matches(Run::isQueued);
  }

  @Test
  @DisplayName("A run of an earlier version has no digest")
  void earlier() throws Exception {
    String document = RunDocument.write(queued(new Run.Declaration("d1", List.of())))
        .replace("\"intent_digest\":\"d1\",", "");

    assertThat(RunDocument.read(document).header().declaration()).isNull();
  }

  @Test
  @DisplayName("A refused run is stored as failed, the word that 0.1.0 knows, and read as refused")
  void refused() throws JsonException {
    Run refused = Runs.with(Runs.waiting("r"), RunStatus.REFUSED, Runs.TIMED_OUT, Runs.waiting("r").progress(),
        Runs.NOON);

    String document = RunDocument.write(refused);

    assertThat(document).contains("\"status\":\"failed\"");
    assertThat(RunDocument.read(document)).isEqualTo(refused);
  }
}

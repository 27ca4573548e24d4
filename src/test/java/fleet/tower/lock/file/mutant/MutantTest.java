package fleet.tower.lock.file.mutant;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class MutantTest {
  private static final int MUTANTS = 98;
  /** The first schedule that catches a mutant, where it is a late one. A change of the lock may make it another one. */
  private static final Map<String, Long> CAUGHT_BY = Map.ofEntries(
      entry("evidence of another boot hides this one's", 151_965L),
      entry("other program's lock that is over stays", 35_279L),
      entry("record not synced before a token is learned late", 31_889L),
      entry("evidence of the standing lock overwritten", 18_140L),
      entry("new journal before the restored names are on the disk", 15_351L),
      entry("grant not recorded before a token is learned late", 6_447L),
      entry("restored lock not on the disk", 3_690L),
      entry("steal's deadline stamped after the write", 1_952L),
      entry("a release that failed without the actor", 1_720L),
      entry("release without token check", 1_662L),
      entry("token not counted past the standing one", 1_278L),
      entry("stale at exactly the ttl, by the boot clock", 1_262L),
      entry("a removal by somebody else reported as failed", 987L),
      entry("heartbeat's deadline stamped after the write", 940L),
      entry("counter not checked when a lock is removed", 784L),
      entry("record in a journal whose name is not on the disk", 701L),
      entry("heartbeat leaves no evidence", 535L),
      entry("name of the previous journal not on the disk", 512L),
      entry("heartbeat without token check", 449L),
      entry("carried over without guard", 449L),
      entry("steal not recorded", 389L),
      entry("no second look before the steal", 383L),
      entry("release without the actor", 379L),
      entry("a freeze refuses who holds it", 371L));
  private static final long BASE_SEED = 20_260_101_000_000L;
  private static final long MOST_SCHEDULES = Long.getLong("mutants.schedules", 300_000);

  @Test
  @Timeout(1200)
  @DisplayName("TF-1.1 the simulation finds every bug that is put into the lock on purpose")
  void everyMutantIsCaught() throws Exception {
    List<Mutant> mutants = Mutants.all();
    assertThat(mutants).hasSize(MUTANTS).doesNotHaveDuplicates().extracting(Mutant::name)
        .containsAll(CAUGHT_BY.keySet());
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      List<Future<String>> verdicts = new ArrayList<>();
      for (Mutant mutant : mutants) {
        verdicts.add(threads.submit(() -> verdictOn(mutant)));
      }
      List<String> survivors = new ArrayList<>();
      for (Future<String> verdict : verdicts) {
        System.out.println(verdict.get());
        if (verdict.get().contains("SURVIVED")) {
          survivors.add(verdict.get());
        }
      }
      assertThat(survivors).isEmpty();
    }
  }

  private static String verdictOn(Mutant mutant) throws Exception {
    MutantLoader loader = new MutantLoader(mutant);
    Long first = CAUGHT_BY.get(mutant.name());
    String caught = first == null ? null : loader.search(BASE_SEED + first - 1, 1, mutant.only());
    if (caught == null) {
      caught = loader.search(BASE_SEED, MOST_SCHEDULES, mutant.only());
    }
    String verdict = caught == null ? "SURVIVED" : caught.substring(0, Math.min(110, caught.length()));
    return String.format("%-60s %s", mutant, verdict);
  }
}

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

import fleet.tower.harness.Extent;

class MutantTest {
  private static final int MUTANTS = 112;
  /** The first schedule that catches a mutant, where it is a late one. A change of the lock may make it another one. */
  private static final Map<String, Long> CAUGHT_BY = Map.ofEntries(
      entry("evidence of another boot hides this one's", 83_000L),
      entry("record not synced before a token is learned late", 76_407L),
      entry("new journal before the restored names are on the disk", 24_272L),
      entry("grant not recorded before a token is learned late", 19_314L),
      entry("evidence of the standing lock overwritten", 17_410L),
      entry("counter not checked when a lock is removed", 5_517L),
      entry("counter removed before the floor is raised", 5_259L),
      entry("other program's lock that is over stays", 4_699L),
      entry("restored lock not on the disk", 3_948L),
      entry("token not counted past the standing one", 2_472L),
      entry("steal without witness", 2_359L),
      entry("name of the previous journal not on the disk", 1_880L),
      entry("carried over without guard", 1_780L),
      entry("a release that failed without the actor", 1_720L),
      entry("heartbeat without token check", 1_678L),
      entry("stale at exactly the ttl, by the boot clock", 1_262L),
      entry("restore without guard", 1_246L),
      entry("a lock that cannot be removed reported as released", 1_219L),
      entry("what is carried over is not on the disk", 1_088L),
      entry("held name forgotten", 774L),
      entry("release without token check", 732L),
      entry("record in a journal whose name is not on the disk", 728L),
      entry("previous journal not read", 701L),
      entry("heartbeat leaves no evidence", 535L),
      entry("witness of a token taken for that of another", 530L),
      entry("floor raised without guard", 525L),
      entry("a freeze refuses who holds it", 421L),
      entry("release without the actor", 379L));
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
      for (Mutant mutant : Extent.share(mutants)) {
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

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
  private static final int MUTANTS = 118;
  /** The first schedule that catches a mutant, where it is a late one. A change of the lock may make it another one. */
  private static final Map<String, Long> CAUGHT_BY = Map.ofEntries(
      entry("record not synced before a token is learned late", 106_104L),
      entry("evidence of the standing lock overwritten", 61_146L),
      entry("evidence of another boot hides this one's", 43_271L),
      entry("token not counted past the standing one", 11_103L),
      entry("grant not recorded before a token is learned late", 3_949L),
      entry("held name forgotten", 1_661L),
      entry("a release that failed without the actor", 1_589L),
      entry("record in a journal whose name is not on the disk", 1_474L),
      entry("restore without guard", 1_415L),
      entry("steal's deadline stamped after the write", 1_307L),
      entry("carried over without guard", 1_246L),
      entry("a lock that cannot be removed reported as released", 937L),
      entry("renew without guard", 914L),
      entry("name of the previous journal not on the disk", 714L),
      entry("restore by the records before the guard", 530L),
      entry("grant without witness", 445L),
      entry("heartbeat's deadline stamped after the write", 422L),
      entry("removed lock not removed by the restore", 388L),
      entry("heartbeat leaves no evidence", 370L));
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

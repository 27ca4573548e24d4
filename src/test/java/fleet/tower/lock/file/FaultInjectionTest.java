package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import fleet.tower.harness.Extent;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.lock.LockStore;
import fleet.tower.platform.StorageException;

@DisplayName("A disk that fails at any call never causes two holders, or a holder that does not know")
class FaultInjectionTest {
  @TempDir(factory = InMemoryDirectory.class)
  private Path temp = Path.of("not-yet");
  private int runs;

  /** The errors of a failing disk. */
  enum Fault {
    ENOSPC("No space left on device"), EIO("Input/output error"), EACCES("Permission denied"), EROFS(
        "Read-only file system");

    private final String text;

    Fault(String text) {
      this.text = text;
    }

    IOException at(String file) {
      return this == EACCES ? new AccessDeniedException(file) : new FileSystemException(file, null, text);
    }
  }

  /** Whether the call had its effect when it failed. */
  enum Moment {
    BEFORE, AFTER
  }

  @ParameterizedTest
  @EnumSource(StoreCall.class)
  @DisplayName("TF-8.3 TF-1.1 one error at the n-th call, before or after its effect, for every n and errno")
  void survivesOneFault(StoreCall operation) {
    int calls = operation.calls(files()).size();
    assertThat(calls).isGreaterThan(4);
    for (Fault fault : Extent.oneOf(List.of(Fault.values()))) {
      for (Moment moment : Moment.values()) {
        for (int n = 1; n <= calls; n++) {
          run(operation, fault, moment, Set.of(n));
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(StoreCall.class)
  @DisplayName("TF-8.3 TF-1.1 two errors, so that undoing fails as well")
  @ProofsProfile
  void survivesTwoFaults(StoreCall operation) {
    int calls = operation.calls(files()).size() + 3;
    for (Moment moment : Moment.values()) {
      for (int n = 1; n <= calls; n++) {
        for (int m = n + 1; m <= Math.min(calls, n + 4); m++) {
          run(operation, Fault.EIO, moment, Set.of(n, m));
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(StoreCall.class)
  @DisplayName("TF-8.3 TF-1.1 everything fails from the n-th call on")
  @ProofsProfile
  void survivesADiskThatStaysBroken(StoreCall operation) {
    int calls = operation.calls(files()).size();
    for (Fault fault : List.of(Fault.ENOSPC, Fault.EROFS)) {
      for (int n = 1; n <= calls; n++) {
        Set<Integer> rest = new HashSet<>();
        for (int m = n; m < calls + 10; m++) {
          rest.add(m);
        }
        run(operation, fault, Moment.BEFORE, rest);
      }
    }
  }

  private void run(StoreCall operation, Fault fault, Moment moment, Set<Integer> failing) {
    try (FileFixture files = files()) {
      operation.prepare(files);
      FaultCheck check = new FaultCheck(files, operation, moment == Moment.AFTER,
          operation + " with " + fault + " " + moment + " call " + failing);
      files.time().advance(operation.age());
      try (LockStore store = FileStores.on(tapped(files, fault, moment, failing::contains), files.time())) {
        check.outcome(operation.run(store));
      } catch (StorageException e) {
        check.exception(e);
      }
      check.recovers();
    }
  }

  private static TappedDirectory tapped(FileFixture files, Fault fault, Moment moment, Predicate<Integer> fails) {
    return new TappedDirectory(files.nio(true), new TappedDirectory.Tap() {
      @Override
      public void before(TappedDirectory.Call call) throws IOException {
        failAt(Moment.BEFORE, call);
      }

      @Override
      public void after(TappedDirectory.Call call) throws IOException {
        failAt(Moment.AFTER, call);
      }

      private void failAt(Moment now, TappedDirectory.Call call) throws IOException {
        if (now == moment && fails.test(call.number())) {
          throw fault.at(call.file());
        }
      }
    });
  }

  private FileFixture files() {
    return new FileFixture(temp.resolve("run-" + runs++));
  }
}

package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.lease.FencingToken;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.system.SystemTime;

@DisplayName("A lock is on disk before it is reported as held")
class SyncTest {
  private static final TestRequest ASKING = TestRequest.by("r1", "prod");

  private final List<String> synced = new ArrayList<>();
  private final Path locks;
  private final Path trace;
  private final Path output;

  SyncTest(@TempDir Path directory) {
    locks = directory.resolve("locks");
    trace = directory.resolve("trace");
    output = directory.resolve("output");
  }

  /** Real syncs, with a record of the files at each of them. */
  private final class Noted implements NioLockDirectory.Syncs {
    @Override
    public void content(Path file, FileChannel channel) throws IOException {
      NioLockDirectory.Syncs.super.content(file, channel);
      synced.add("content of " + channel.size() + " bytes, lock " + lock());
    }

    @Override
    public void names(Path directory) throws IOException {
      NioLockDirectory.Syncs.super.names(directory);
      synced.add("names, lock " + lock());
    }

    private String lock() {
      return Files.exists(locks.resolve("prod.lock")) ? "there" : "absent";
    }
  }

  @Test
  @DisplayName("The bytes are synced before the link, the link before \"granted\", and the removal before \"released\"")
  void order() throws IOException {
    DirectoryGuard guard = DirectoryGuard.share(locks, new DirectoryCheck(locks, true, new ManualTime(), _ -> {}),
        new DirectoryGuard.GuardContext(SystemTime.source(), SystemTime.scheduler(), () -> {}));
    try (LockStore store = new FileLockStore(new NioLockDirectory(locks, guard, new Noted()), new ManualTime())) {
      assertThat(store.acquire(ASKING.request())).isInstanceOf(AcquireOutcome.Granted.class);
      long bytes = Files.size(locks.resolve("prod.lock"));
      assertThat(synced).containsSubsequence("content of " + bytes + " bytes, lock absent", "names, lock there");
      assertThat(synced.getLast()).isEqualTo("names, lock there");
      synced.clear();

      assertThat(store.release(ASKING.name(), ASKING.owner(), FencingToken.NONE))
          .isInstanceOf(ReleaseOutcome.Released.class);

      assertThat(synced).containsExactly("names, lock absent");
    }
  }

  @Test
  @DisplayName("The kernel sees fdatasync of the file, link, fsync of the directory, and only then the response")
  void systemCalls() throws IOException {
    assumeTrue(canTrace(), "strace is not installed here, or may not trace");
    List<String> command = new ArrayList<>(List.of("strace", "-f", "-y", "-s", "32", "-e",
        "trace=fsync,fdatasync,link,linkat,unlink,unlinkat,write", "-o", trace.toString()));
    command.addAll(ChildJvm.command(SyncMain.class, List.of(locks.toString())));

    assertThat(ChildJvm.exitCode(ChildJvm.start(command, output))).isZero();

    assertThat(output).hasContent("acquired\nreleased");
    List<String> calls = Files.readAllLines(trace);
    int linked = first(calls, 0, call -> call.contains("link(") && call.contains("prod.lock\""));
    String source = calls.get(linked).replaceFirst("[^\"]*\"([^\"]*)\".*", "$1");
    int content = first(calls, 0, call -> isSync(call, source));
    int names = first(calls, linked, call -> isSync(call, locks.toString()));
    int told = first(calls, 0, call -> call.contains("write(1") && call.contains("acquired"));
    assertThat(List.of(content, linked, names, told)).isSorted();

    int gone = first(calls, told, call -> call.contains("unlink") && call.contains("prod.lock\""));
    int synced = first(calls, gone, call -> isSync(call, locks.toString()));
    int toldOfEnd = first(calls, told, call -> call.contains("write(1") && call.contains("released"));
    assertThat(List.of(gone, synced, toldOfEnd)).isSorted();
  }

  private static boolean isSync(String call, String path) {
    return call.contains("sync(") && call.contains("<" + path + ">");
  }

  private static int first(List<String> calls, int from, Predicate<String> wanted) {
    for (int i = from; i < calls.size(); i++) {
      if (wanted.test(calls.get(i))) {
        return i;
      }
    }
    throw new AssertionError("no such call behind line " + from + " of\n" + String.join("\n", calls));
  }

  private boolean canTrace() {
    try {
      return ChildJvm.exitCode(ChildJvm.start(List.of("strace", "-f", "-o", trace.toString(), "true"), output)) == 0;
    } catch (AssertionError notInstalled) {
      return false;
    }
  }
}

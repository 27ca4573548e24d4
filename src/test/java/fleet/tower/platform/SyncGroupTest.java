package fleet.tower.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SyncGroupTest {
  private final List<String> events = new ArrayList<>();
  private final SyncGroup.Sync journal = () -> events.add("journal synced");
  private final SyncGroup.Sync file = () -> events.add("file synced");
  private final SyncGroup.Sync broken = () -> {
    events.add("sync failed");
    throw new IOException("disk broken");
  };

  @Test
  @DisplayName("Each file is synced once, at the end of the work; outside such work, immediately")
  void together() throws IOException {
    SyncGroup.sync(journal);
    assertThat(events).containsExactly("journal synced");

    String result = SyncGroup.together(() -> {
      request(journal);
      request(file);
      request(journal);
      events.add("work done");
      return "result";
    });

    assertThat(result).isEqualTo("result");
    assertThat(events).containsExactly("journal synced", "work done", "journal synced", "file synced");
  }

  @Test
  @DisplayName("What was settled is synced again only after later changes")
  void settles() {
    String _ = SyncGroup.together(() -> {
      request(journal);
      SyncGroup.settle();
      events.add("settled");
      SyncGroup.settle();
      request(file);
      return "";
    });

    assertThat(events).containsExactly("journal synced", "settled", "file synced");
    SyncGroup.settle();
    assertThat(events).hasSize(3);
  }

  @Test
  @DisplayName("A failed sync is reported after the others were tried")
  void fails() {
    assertThatThrownBy(() -> SyncGroup.together(() -> {
      request(broken);
      request(file);
      return "";
    })).isInstanceOf(StorageException.class).hasMessage("the changes cannot be synced to the disk: disk broken");

    assertThat(events).containsExactly("sync failed", "file synced");
  }

  @Test
  @DisplayName("After a failed sync, the change uses its fallback; the failure is reported only if that fails too")
  void fallsBack() throws IOException {
    SyncGroup.sync(broken, failure -> events.add("fell back after " + failure.getMessage()));
    assertThat(events).containsExactly("sync failed", "fell back after disk broken");
    events.clear();

    String result = SyncGroup.together(() -> {
      SyncGroup.sync(broken, _ -> events.add("first fell back"));
      SyncGroup.sync(broken, _ -> events.add("second fell back"));
      return "result";
    });
    assertThat(result).isEqualTo("result");
    assertThat(events).containsExactly("sync failed", "first fell back", "second fell back");
    events.clear();

    assertThatThrownBy(() -> SyncGroup.together(() -> {
      SyncGroup.sync(broken, _ -> {
        throw new StorageException("database broken");
      });
      SyncGroup.sync(broken, _ -> events.add("fell back"));
      return "";
    })).isInstanceOf(StorageException.class).hasMessageContaining("database broken");
    assertThat(events).containsExactly("sync failed", "fell back");
  }

  @Test
  @DisplayName("What could not be synced is undone, but not work that failed, nor work that changed nothing")
  void undone() {
    assertThat(SyncGroup.together(() -> {
      request(broken);
      return "result";
    }, (result, failure) -> result + " undone")).isEqualTo("result undone");
    assertThat(SyncGroup.together(() -> "result", (result, failure) -> result + " undone")).isEqualTo("result");
    assertThatThrownBy(() -> SyncGroup.together(() -> {
      request(broken);
      throw new StorageException("work failed");
    }, (result, failure) -> result)).isInstanceOf(StorageException.class).hasMessage("work failed");
  }

  @Test
  @DisplayName("Nested work is synced with the outer work, and its sync is reported there")
  void nested() {
    assertThatThrownBy(() -> SyncGroup.together(() -> {
      String inner = SyncGroup.together(() -> {
        request(file);
        request(broken);
        return "inner";
      }, (result, failure) -> "undone");
      assertThat(inner).isEqualTo("inner");
      assertThat(events).isEmpty();
      return "";
    })).isInstanceOf(StorageException.class);
    assertThat(events).containsExactly("file synced", "sync failed");
  }

  @Test
  @DisplayName("Work that fails is synced too, and its own failure is reported")
  void failingWork() {
    assertThatThrownBy(() -> SyncGroup.together(() -> {
      request(file);
      request(broken);
      throw new IllegalStateException("work failed");
    })).isInstanceOf(IllegalStateException.class).hasMessage("work failed");

    assertThat(events).containsExactly("file synced", "sync failed");
  }

  @Test
  @DisplayName("A sync waits for other threads' work, which then shares it; but not for long")
  void gathers() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    FutureTask<String> other = new FutureTask<>(() -> SyncGroup.together(() -> {
      begun.countDown();
      awaitUninterruptibly(go);
      request(file);
      return "other";
    }));
    Thread thread = Thread.ofPlatform().start(other);
    begun.await();

    // The other thread does not come to its sync before this returns.
    SyncGroup.gather();

    go.countDown();
    assertThat(other.get()).isEqualTo("other");
    thread.join();
    SyncGroup.gather();
  }

  private static void request(SyncGroup.Sync sync) {
    try {
      SyncGroup.sync(sync);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}

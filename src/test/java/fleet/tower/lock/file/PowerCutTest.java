package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Ext4Image;
import fleet.tower.harness.LongProfile;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.LockView;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.SystemTime;

@DisplayName("A copy of a mounted ext4 disk has every reported grant, and no lock that was released or removed by hand")
class PowerCutTest {
  private static final long SEED = 20_261_123;
  private static final List<LeaseName> NAMES = List.of("prod", "staging", "db").stream().map(LeaseName::new).toList();

  private final SeededRandom dice = new SeededRandom(SEED);
  private final ManualTime time = new ManualTime("2025-12-18T10:30:10Z");
  private final Map<LeaseName, Lease> held = new TreeMap<>();
  private final Map<LeaseName, Long> tokens = new TreeMap<>();
  private final Path temp;
  private int requests;
  private int forgotten;
  private int cuts;

  PowerCutTest(@TempDir(factory = InMemoryDirectory.class) Path temp) {
    this.temp = temp;
  }

  @BeforeEach
  void requireMounts() {
    assumeTrue(Ext4Image.isPossible(temp), "this process may not mount a file");
  }

  @Test
  @DisplayName("20 copies, at reports and between the system calls of a change")
  void few() throws IOException {
    assertThat(lost(20, new NioLockDirectory.Kernel() {})).isEmpty();
    assertThat(forgotten).isGreaterThan(3);
  }

  @Test
  @LongProfile
  @Timeout(1800)
  @DisplayName("500 copies, at reports and between the system calls of a change")
  void many() throws IOException {
    assertThat(lost(500, new NioLockDirectory.Kernel() {})).isEmpty();
  }

  @Test
  @DisplayName("Without syncs, copies have lost reported changes: they are what a power cut leaves")
  void withoutSyncs() throws IOException {
    assertThat(lost(5, new NioLockDirectory.Kernel() {
      @Override
      public void content(Path file, FileChannel channel) {}

      @Override
      public void names(Path directory) {}
    })).isNotEmpty();
  }

  /** Works with locks until so many copies were taken; returns what each copy has lost. */
  private List<String> lost(int copies, NioLockDirectory.Kernel syncs) throws IOException {
    List<String> lost = new ArrayList<>();
    try (Ext4Image disk = Ext4Image.create(temp.resolve("disk"), 8)) {
      Path locks = disk.directory().resolve("locks");
      int[] countdown = {dice.pick(60)};
      AtomicReference<@Nullable LeaseName> changing = new AtomicReference<>();
      TappedDirectory.Tap tap = call -> {
        if (countdown[0]-- == 0) {
          lost.addAll(compare(disk.cut(), changing.get()));
          countdown[0] = 20 + dice.pick(120);
        }
      };
      try (LockStore store = FileStores.on(new TappedDirectory(directory(locks, syncs), tap), time, 20_000)) {
        while (cuts < copies) {
          LeaseName name = NAMES.get(dice.pick(NAMES.size()));
          changing.set(name);
          change(store, locks, name);
          changing.set(null);
          if (dice.chance(300)) {
            lost.addAll(compare(disk.cut(), null));
          }
        }
      }
    }
    return lost;
  }

  private NioLockDirectory directory(Path locks, NioLockDirectory.Kernel syncs) {
    DirectoryCheck check = new DirectoryCheck(locks, true, time, _ -> {});
    return new NioLockDirectory(locks, DirectoryGuard.share(locks, check,
        new DirectoryGuard.GuardContext(SystemTime.source(), SystemTime.scheduler(), () -> {})), syncs);
  }

  private void change(LockStore store, Path locks, LeaseName name) throws IOException {
    Lease lease = held.get(name);
    Path fence = locks.resolve(FileNames.fence(name));
    if (lease == null && Files.exists(fence) && dice.chance(700)) {
      for (Path file : List.of(fence, locks.resolve(FileNames.beat(name)))) {
        Files.setLastModifiedTime(file, FileTime.from(time.now()));
      }
      assertThat(store.forget(name, Duration.ZERO)).isTrue();
      forgotten++;
    } else if (lease == null) {
      granted(store.acquire(TestRequest.by("req_" + requests++, name.value()).request()));
    } else if (dice.chance(250)) {
      time.advance(Duration.ofSeconds(20));
      assertThat(store.renew(name, lease.owner(), lease.token())).isInstanceOf(RenewOutcome.Renewed.class);
    } else if (dice.chance(150)) {
      removeByHand(locks.resolve(FileNames.lock(name)));
      held.remove(name);
    } else if (dice.chance(300)) {
      time.advance(Duration.ofHours(1));
      granted(store.acquire(TestRequest.by("req_" + requests++, name.value()).withForce().request()));
    } else {
      assertThat(store.release(name, lease.owner(), lease.token())).isInstanceOf(ReleaseOutcome.Released.class);
      held.remove(name);
    }
  }

  /** As another program: only the file is removed. Everything is on the disk some seconds later. */
  private static void removeByHand(Path lock) throws IOException {
    Files.delete(lock);
    OwnerOnly.sync(lock.resolveSibling(""));
  }

  private void granted(AcquireOutcome outcome) {
    assertThat(outcome).isInstanceOfSatisfying(AcquireOutcome.Granted.class, granted -> {
      Lease lease = granted.lease().lease();
      held.put(lease.name(), lease);
      assertThat(lease.token().value()).isGreaterThan(tokens.getOrDefault(lease.name(), 0L));
      tokens.put(lease.name(), lease.token().value());
    });
  }

  /** Mounts a copy and restores its locks; returns how they differ, except in a name that is being changed. */
  private List<String> compare(byte[] cut, @Nullable LeaseName changing) throws IOException {
    cuts++;
    List<String> lost = new ArrayList<>();
    try (Ext4Image copy = Ext4Image.of(cut, temp.resolve("copy"));
        LockStore store = FileStores.on(directory(copy.directory().resolve("locks"),
            new NioLockDirectory.Kernel() {}), time)) {
      for (LeaseName name : NAMES) {
        LockView view = store.view(name);
        boolean asReported = identity(view.leaseState()).equals(identity(held.get(name)));
        boolean asChanged = name.equals(changing) && !(view.leaseState() instanceof LeaseState.Unsupported);
        if (!asReported && !asChanged) {
          lost.add("copy " + cuts + ": " + name + " is " + view.leaseState() + ", reported was " + held.get(name));
        }
        time.advance(Duration.ofHours(1));
        store.forceRelease(name);
        if (store.acquire(TestRequest.by("req_next", name.value()).request()) instanceof AcquireOutcome.Granted next
            && next.lease().lease().token().value() <= tokens.getOrDefault(name, 0L)) {
          lost.add("copy " + cuts + ": a token of " + name + " is issued twice: " + next);
        }
      }
    }
    return lost;
  }

  private static String identity(LeaseState state) {
    return switch (state) {
      case LeaseState.Vacant _ -> "";
      case LeaseState.Held(Lease lease, var _) -> identity(lease);
      case LeaseState.Corrupt _,LeaseState.Unsupported _ -> state.toString();
    };
  }

  private static String identity(@Nullable Lease lease) {
    return lease == null ? "" : lease.requestId() + "/" + lease.token();
  }
}

package fleet.tower.lock.file;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.lock.PreviousLock;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Journal;

/**
 * The shared disk as one process uses it: another process may run before each call, and each call may fail or be the
 * last.
 */
final class SimulatedDirectory implements LockDirectory {
  private static final long TURN_NANOS = 10 * SimulatedTime.SECOND;

  private final Schedule schedule;
  private final SimulatedDisk disk;
  private final SimulatedProcess process;
  private final Checker checker;

  SimulatedDirectory(Schedule schedule, SimulatedProcess process) {
    this.schedule = schedule;
    this.disk = schedule.disk();
    this.process = process;
    this.checker = schedule.checker();
  }

  /** The same for all processes, unless each is in a container that hides the boot of the host. */
  @Override
  public String origin() {
    return "boot " + schedule.time().bootNumber() + (schedule.profile().containers() ? " of " + process.number() : "");
  }

  @Override
  public boolean exists() {
    return true;
  }

  @Override
  public Guard enter(long slot) throws IOException {
    before("enter", null);
    if (!process.awaitTurn(slot, TURN_NANOS)) {
      throw new StorageException("no turn");
    }
    return () -> {
      process.pause("leave", null);
      disk.leave(slot, process);
    };
  }

  @Override
  public boolean has(String file) throws IOException {
    before("has", file);
    process.operation().call();
    return disk.get(file) != null;
  }

  @Override
  public byte @Nullable [] read(String file) throws IOException {
    if (file.equals(FileNames.FLOOR) && !schedule.forgets()) {
      // No process ever writes it, so the order does not matter; and the recorded seeds keep their meaning.
      return null;
    }
    before("read", file);
    SimulatedDisk.Inode inode = disk.get(file);
    process.operation().call();
    if (checker.isLock(file)) {
      process.operation().saw(inode);
    }
    return inode == null ? null : inode.content();
  }

  /** The simulated disk keeps no times. Each counter is old, so that a name is forgotten as soon as it is free. */
  @Override
  public @Nullable Instant modified(String file) {
    return file.endsWith(".fence") && disk.get(file) != null ? Instant.EPOCH : null;
  }

  @Override
  public void create(String file, byte[] content, boolean durable) throws IOException {
    before("create", file);
    process.operation().call();
    if (disk.get(file) != null) {
      disk.remove(file);
    }
    SimulatedDisk.Inode inode = new SimulatedDisk.Inode();
    disk.add(file, inode);
    inode.write(0, content, content.length / 2);
    process.pause("create half of", file);
    inode.write(0, content, content.length);
    if (durable) {
      inode.sync();
    }
    if (process.isFaultDue()) {
      if (disk.get(file) == inode && !process.isFaultDue()) {
        disk.remove(file);
      }
      throw failure("create", file);
    }
  }

  @Override
  public void patch(String file, Patch patch) throws IOException {
    before("patch", file);
    SimulatedDisk.Inode inode = disk.get(file);
    if (inode == null) {
      inode = new SimulatedDisk.Inode();
      disk.add(file, inode);
    }
    Piece piece = patch.of(inode.content());
    inode.write(piece.position(), piece.bytes(), piece.bytes().length / 2);
    process.pause("patch half of", file);
    if (process.isFaultDue()) {
      throw failure("patch half of", file);
    }
    inode.write(piece.position(), piece.bytes(), piece.bytes().length);
    after("patch", file);
  }

  @Override
  public void overwrite(String file, byte[] content) throws IOException {
    before("overwrite", file);
    SimulatedDisk.Inode inode = disk.get(file);
    if (inode == null || disk.hasOtherName(file) || inode.content().length != content.length) {
      create(file, content, false);
      return;
    }
    inode.write(0, content, content.length / 2);
    process.pause("overwrite half of", file);
    if (process.isFaultDue()) {
      throw failure("overwrite half of", file);
    }
    inode.write(0, content, content.length);
    after("overwrite", file);
  }

  @Override
  public void link(String file, String newName) throws IOException {
    before("link to", newName);
    SimulatedDisk.Inode inode = require(file);
    if (disk.get(newName) != null) {
      throw new FileAlreadyExistsException(newName);
    }
    checker.linking(process.operation(), newName, inode);
    disk.add(newName, inode);
    after("link to", newName);
  }

  @Override
  public void rename(String file, String newName) throws IOException {
    before("rename to", newName);
    SimulatedDisk.Inode inode = require(file);
    checker.renaming(process.operation(), newName, disk.get(newName), inode);
    disk.rename(file, newName);
    if (newName.equals(Journal.CURRENT)) {
      schedule.happened(Tally.Event.JOURNAL_REPLACED, newName);
    }
    after("rename to", newName);
  }

  @Override
  public boolean exchange(String file, String other) throws IOException {
    before("exchange with", other);
    SimulatedDisk.Inode inode = disk.get(file);
    SimulatedDisk.Inode old = disk.get(other);
    if (inode == null || old == null) {
      checker.notExchanged(process.operation());
      return false;
    }
    checker.exchanging(process.operation(), other, old, inode);
    disk.exchange(file, other);
    if (process.operation().displaced() == old) {
      schedule.happened(Tally.Event.DISPLACED, other);
    }
    after("exchange with", other);
    return true;
  }

  @Override
  public void unlink(String file) throws IOException {
    before("unlink", file);
    checker.unlinking(process.operation(), file, require(file));
    disk.remove(file);
    after("unlink", file);
  }

  @Override
  public void sync() throws IOException {
    before("sync", null);
    disk.sync();
    after("sync", null);
  }

  @Override
  public byte @Nullable [] read(String file, long from, int most) throws IOException {
    before("read the journal", file);
    SimulatedDisk.Inode inode = disk.get(file);
    if (inode == null) {
      return null;
    }
    int start = (int) Math.min(from, inode.content().length);
    return Arrays.copyOfRange(inode.content(), start, start + Math.min(most, inode.content().length - start));
  }

  @Override
  public Log open(String file) throws IOException {
    before("open", file);
    return new OpenLog(require(file));
  }

  @Override
  public boolean leadsTo(String file, Log log) throws IOException {
    before("compare", file);
    return log instanceof OpenLog opened && opened.inode == disk.get(file);
  }

  private final class OpenLog implements Log {
    private final SimulatedDisk.Inode inode;
    private int reported;

    OpenLog(SimulatedDisk.Inode inode) {
      this.inode = inode;
      this.reported = inode.failedSyncs();
    }

    @Override
    public long append(byte[] bytes) throws IOException {
      before("append", null);
      if (process.isFaultDue()) {
        inode.append(Arrays.copyOf(bytes, bytes.length / 2));
        throw failure("append half of a record", null);
      }
      inode.append(bytes);
      after("append", null);
      return inode.content().length;
    }

    @Override
    public void sync() throws IOException {
      process.pause("sync the journal", null);
      if (process.isFaultDue()) {
        inode.failToSync();
      }
      if (reported != inode.failedSyncs()) {
        reported = inode.failedSyncs();
        throw failure("sync the journal", null);
      }
      inode.sync();
      after("sync the journal", null);
    }

    @Override
    public void close() {}
  }

  @Override
  public List<String> list() throws IOException {
    before("list", null);
    return disk.names();
  }

  @Override
  public String digest(String file) throws IOException {
    before("digest", file);
    SimulatedDisk.Inode inode = disk.get(file);
    return PreviousLock.of(null, inode == null ? new byte[0] : inode.content()).hash();
  }

  @Override
  public String pathOf(String file) {
    return "/locks/" + file;
  }

  @Override
  public void close() {}

  private SimulatedDisk.Inode require(String file) throws NoSuchFileException {
    SimulatedDisk.Inode inode = disk.get(file);
    if (inode == null) {
      throw new NoSuchFileException(file);
    }
    return inode;
  }

  private void before(String call, @Nullable String file) throws IOException {
    process.pause(call, file);
    if (process.isFaultDue()) {
      throw failure(call, file);
    }
  }

  /** An error after the effect: it does not reveal what happened. */
  private void after(String call, @Nullable String file) throws IOException {
    if (process.isFaultDue()) {
      throw failure(call + " (done all the same)", file);
    }
  }

  private IOException failure(String call, @Nullable String file) {
    process.failed(call, file);
    return new IOException(call.startsWith("create") ? "No space left on device" : "Input/output error");
  }
}

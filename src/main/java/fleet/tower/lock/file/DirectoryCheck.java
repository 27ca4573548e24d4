package fleet.tower.lock.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.Journal;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.disk.WrittenFile;
import fleet.tower.platform.disk.WrittenFile.Also;
import fleet.tower.platform.time.TimeSource;

/**
 * The requirements on a lock directory: owned by this user, a real directory, not writable by others, on a local disk.
 * Also reports files in it that an operator should know about.
 */
final class DirectoryCheck implements Examination {
  private static final Set<String> SHARED_FILE_SYSTEMS = Set.of("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs",
      "ceph", "glusterfs", "lustre", "virtiofs");

  private static final Pattern FOREIGN_TEMP = Pattern.compile("[^.].*\\.lock\\..*tmp");

  private static final String WRITING_CHECK = "lock directory writing";

  private final Path directory;
  private final boolean insecureAllowed;
  /** A temp file younger than this is still being written, not orphaned. */
  private static final Duration WRITING = Duration.ofMinutes(1);

  private final Consumer<String> warnings;
  private final TimeSource time;
  private volatile boolean existed;

  DirectoryCheck(Path directory, boolean insecureAllowed, TimeSource time, Consumer<String> warnings) {
    this.time = time;
    this.directory = directory;
    this.insecureAllowed = insecureAllowed;
    this.warnings = warnings;
  }

  /** Creates the directory if it is missing, and rejects one in which locks would not be safe. */
  void prepare() throws IOException {
    if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
      OwnerOnly.makeDurableDirectories(directory);
    }
    for (Finding finding : examineDirectory()) {
      switch (finding.severity()) {
        case OK -> {
        }
        case WARN -> warnings.accept(finding.message());
        case FAIL -> throw new StorageException(finding.message() + "; " + finding.remedy());
      }
    }
  }

  @Override
  public List<Finding> examine() {
    try {
      List<Finding> findings = new ArrayList<>(examineDirectory());
      findings.addAll(examineFiles());
      return findings;
    } catch (IOException e) {
      return List.of(Finding.fail("lock directory", directory + " cannot be read: " + Errno.describe(e),
          "check its owner and mode"));
    }
  }

  /**
   * Checks that a lock can be written now, by creating and removing a file. A directory that was never created is fine;
   * one that disappeared is not, because the locks in it disappeared with it.
   */
  List<Finding> examineWriting() {
    try {
      if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
        return List.of(existed
            ? Finding.fail(WRITING_CHECK, directory + " has disappeared",
                "mount it again, or stop the processes that hold its locks")
            : Finding.ok(WRITING_CHECK, directory + " does not exist yet; the first lock creates it"));
      }
      List<Finding> obstacles = examineDirectory().stream()
          .filter(finding -> finding.severity() == Finding.Severity.FAIL).toList();
      if (!obstacles.isEmpty()) {
        return obstacles;
      }
      existed = true;
      Path probe = directory.resolve(FileNames.probe(ProcessHandle.current().pid()));
      try (FileChannel channel = WrittenFile.open(probe, Also.CREATE, Also.TRUNCATE)) {
        int _ = channel.write(ByteBuffer.wrap(new byte[]{'\n'}));
      } finally {
        Files.deleteIfExists(probe);
      }
      return List.of(Finding.ok(WRITING_CHECK, directory + " can be written"));
    } catch (IOException e) {
      return List.of(Finding.fail(WRITING_CHECK, Errno.describe(e), "check " + directory + " and its disk"));
    }
  }

  private List<Finding> examineDirectory() throws IOException {
    if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
      return List.of(Finding.ok("lock directory", directory + " does not exist yet; the first lock creates it"));
    }
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      return List.of(notADirectory(directory));
    }
    List<Finding> findings = new ArrayList<>();
    PosixFileAttributes attributes = Files.readAttributes(directory, PosixFileAttributes.class,
        LinkOption.NOFOLLOW_LINKS);
    findings.add(ownership());
    findings.add(permissions(attributes.permissions()));
    findings.add(fileSystem(directory, insecureAllowed));
    return findings;
  }

  /** The finding for a path that is not a directory. */
  static Finding notADirectory(Path path) {
    return Finding.fail("lock directory", path + " is a link or a file, not a directory",
        "move it away, or set TOWER_HOME to its target");
  }

  private Finding ownership() throws IOException {
    Object owner = Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    Path self = Path.of("/proc/self");
    if (Files.exists(self) && !owner.equals(Files.getAttribute(self, "unix:uid"))) {
      return Finding.fail("lock directory owner", directory + " belongs to user id " + owner + ", not to us",
          "run as that user, or set TOWER_HOME to a home of your own");
    }
    return Finding.ok("lock directory owner", directory + " is ours");
  }

  private Finding permissions(Set<PosixFilePermission> permissions) {
    String mode = PosixFilePermissions.toString(permissions);
    String remedy = "chmod 700 " + directory;
    if (permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
      return Finding.fail("lock directory mode", directory + " is world-writable (" + mode + ")", remedy);
    }
    if (!mode.endsWith("------")) {
      return Finding.warn("lock directory mode", directory + " is accessible to other users (" + mode + ")", remedy);
    }
    if (!mode.equals("rwx------")) {
      return Finding.warn("lock directory mode", directory + " denies its owner some permissions (" + mode + ")",
          remedy);
    }
    return Finding.ok("lock directory mode", mode);
  }

  /** Judges the file system of a directory. */
  static Finding fileSystem(Path directory, boolean insecureAllowed) throws IOException {
    return fileSystem(directory, Files.getFileStore(directory).type(), insecureAllowed);
  }

  /** Judges a file system type, as the kernel names it. */
  static Finding fileSystem(Path directory, String type, boolean insecureAllowed) {
    String check = "lock directory file system";
    if (type.equals("tmpfs") || type.equals("ramfs")) {
      return Finding.warn(check, directory + " is on " + type + ": its locks and tokens do not survive a restart",
          "set TOWER_HOME to a directory on a disk");
    }
    if (type.equals("overlay")) {
      return Finding.warn(check, directory + " is on overlay, a container's own file system: its locks end with the "
          + "container and exclude nothing outside it", "mount a volume for the home");
    }
    if (!SHARED_FILE_SYSTEMS.contains(type) && !type.startsWith("fuse")) {
      return Finding.ok(check, type);
    }
    String message = directory + " is on " + type + ", where other machines may not see this machine's locks";
    String remedy = "set TOWER_HOME to a local disk; or, if no other machine uses it, set "
        + "tower.lock.insecure-directory=true (TOWER_LOCK_INSECURE_DIRECTORY=true)";
    return insecureAllowed ? Finding.warn(check, message, remedy) : Finding.fail(check, message, remedy);
  }

  private List<Finding> examineFiles() throws IOException {
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      return List.of();
    }
    List<Finding> findings = new ArrayList<>();
    if (!Files.isReadable(NioLockDirectory.BOOT_ID)) {
      findings.add(Finding.warn("lock journal", NioLockDirectory.BOOT_ID
          + " cannot be read: each process restores the locks when it starts",
          "mount /proc"));
    }
    Set<String> names = new TreeSet<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.sorted().toList()) {
        examineFile(file, findings);
        names.add(file.getFileName().toString());
      }
    }
    if (findings.isEmpty()) {
      findings.add(Finding.ok("lock files", "no orphaned or damaged files"));
    }
    findings.addAll(unused(names));
    return findings;
  }

  private static List<Finding> unused(Set<String> files) {
    long counters = files.stream().filter(file -> FileNames.nameOfFence(file).isPresent()).count();
    long unused = files.stream().flatMap(file -> FileNames.nameOfFence(file).stream())
        .filter(name -> !files.contains(FileNames.lock(name)) && !files.contains(FileNames.freeze(name))).count();
    return unused == 0
        ? List.of()
        : List.of(Finding.ok("lock names", unused + " of " + counters + " names with a fencing counter are unused"));
  }

  private void examineFile(Path path, List<Finding> findings) throws IOException {
    String file = path.getFileName().toString();
    boolean isTemp = FileNames.isTemp(file) || FOREIGN_TEMP.matcher(file).matches();
    if (isTemp && isBeingWritten(path)) {
      return;
    }
    if (FileNames.isTemp(file)) {
      findings.add(Finding.warn("orphan temp", path + " is left over from a process that died while writing",
          "no action needed; the next use of its lock replaces it"));
    } else if (FOREIGN_TEMP.matcher(file).matches()) {
      findings.add(Finding.warn("foreign temp", path + " is left over from a script that writes lock files itself",
          "source bin/lock-manager.sh in the script, which follows the protocol; then remove the file"));
    } else if (file.endsWith(".lock") && FileNames.nameOfLock(file).isEmpty()) {
      findings.add(Finding.warn("lock file name", path + " is not a lock: its name is not a valid lock name",
          "find the program that writes it; the Tower never reads it"));
    } else if (file.equals(Journal.CURRENT) && !(Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
        && Files.isReadable(path))) {
      findings.add(Finding.fail("lock journal", path + " cannot be read: no lock can be acquired",
          "correct its owner and mode; or move it away, which loses any lock that only the journal still has"));
    } else if (file.equals(FileNames.FLOOR) && !Fence.isSound(path)) {
      findings.add(Finding.fail("fence floor", path + " is damaged: no lock with a new name can be acquired",
          "write one number into it, not below any fencing token issued for a name without a .fence file"));
    } else if (file.endsWith(".fence") && !Fence.isSound(path)) {
      findings.add(Finding.fail("fence counter", path + " is damaged: its lock cannot be acquired",
          "write one number into it, not below any fencing token issued for its name"));
    }
  }

  private boolean isBeingWritten(Path temp) throws IOException {
    try {
      return Files.getLastModifiedTime(temp, LinkOption.NOFOLLOW_LINKS).toInstant().isAfter(time.now().minus(WRITING));
    } catch (NoSuchFileException renamed) {
      return true;
    }
  }
}

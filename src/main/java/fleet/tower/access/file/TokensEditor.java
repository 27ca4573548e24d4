package fleet.tower.access.file;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

import fleet.tower.access.Grant;
import fleet.tower.access.Tokens;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.yaml.Complaint;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.SourceFile;

/**
 * Changes {@code tokens.yaml}: atomically, and one change at a time among all processes. Whatever a change does not
 * concern stays as its author wrote it, if possible. Revocation works on a full disk.
 */
final class TokensEditor implements Tokens {
  private final Path path;
  private final TokensReserve reserve;
  private final RandomGenerator random;

  TokensEditor(Path path, RandomGenerator random) {
    this.path = path;
    this.reserve = new TokensReserve(path);
    this.random = random;
  }

  /** A change of a text. */
  private interface Edit {
    TokensText of(TokensText before);
  }

  private static Optional<Grant> find(String name, List<Grant> grants) {
    return grants.stream().filter(grant -> grant.name().equals(name)).findFirst();
  }

  @Override
  public List<Grant> list() {
    return read().grants();
  }

  @Override
  public Issued issue(TokenRequest request) {
    String token = TokenFile.newToken(random);
    Grant grant = new Grant(request.name(), request.role(), HexFormat.of().formatHex(Digests.sha256(token)),
        request.intents(), request.expires());
    Change change = change(before -> {
      if (find(grant.name(), before.grants()).isPresent()) {
        throw new InvalidValue(InvalidValue.Kind.REQUEST, "a token '" + grant.name()
            + "' exists; revoke it first, or choose another name");
      }
      return before.with(grant);
    });
    return new Issued(grant, token, change);
  }

  @Override
  public Optional<Revoked> revoke(String name) {
    if (find(name, list()).isEmpty()) {
      return Optional.empty();
    }
    // Checked again under the guard: of two concurrent revocations only one succeeds.
    List<Grant> found = new ArrayList<>();
    Change change = change(before -> {
      find(name, before.grants()).ifPresent(found::add);
      return found.isEmpty() ? before : before.without(name);
    });
    return found.stream().findFirst().map(grant -> new Revoked(grant, change));
  }

  private Change change(Edit edit) {
    try {
      if (Files.isSymbolicLink(path)) {
        throw new StorageException(
            path + " is a link, as in a pod whose tokens are a Secret; change its source");
      }
      OwnerOnly.makeDirectories(path.resolveSibling(""));
      try (FileChannel guard = guard(); FileLock _ = guard.lock()) {
        removeLeftovers();
        TokensText before = read();
        TokensText after = edit.of(before);
        write(after.text());
        return new Change(path.toString(), after.isKept());
      }
    } catch (IOException e) {
      throw new StorageException("cannot change " + path + ": " + Errno.describeWithFile(e), e);
    }
  }

  /** Never removed: current and later waiters must lock the same file. */
  private FileChannel guard() throws IOException {
    return FileChannel.open(path.resolveSibling(".tokens.guard"),
        java.util.Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), OwnerOnly.FILE);
  }

  /**
   * Reserves space for a revocation on a full disk, for a file that this class did not write; does nothing if that
   * fails.
   */
  void keepReserve() {
    if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (FileChannel guard = guard(); FileLock lock = guard.tryLock()) {
      if (lock != null) {
        reserve.keep();
      }
    } catch (IOException | OverlappingFileLockException unavailable) {
      // The directory is read-only, as in a pod; or another process is changing the file, and keeps the reserve.
    }
  }

  /** Removes the files of killed writers; this process has the guard, so no other one is writing. */
  private void removeLeftovers() throws IOException {
    try (DirectoryStream<Path> leftovers = Files.newDirectoryStream(path.resolveSibling(""), ".tokens*.new")) {
      for (Path leftover : leftovers) {
        Files.deleteIfExists(leftover);
      }
    }
  }

  private TokensText read() {
    if (Files.notExists(path, LinkOption.NOFOLLOW_LINKS)) {
      return TokensText.EMPTY;
    }
    Complaints complaints = new Complaints(path.toString());
    Optional<TokensText> text = new SourceFile(path, TokensReader.FORM).read(complaints)
        .flatMap(it -> TokensText.of(it, complaints));
    return text.orElseThrow(() -> new StorageException("cannot read the tokens: "
        + complaints.all().stream().filter(Complaint::isError).findFirst().map(Complaint::toString).orElse("")
        + "; fix that first"));
  }

  private void write(String text) throws IOException {
    try {
      writeAside(text);
    } catch (IOException e) {
      // On a full disk only a shorter text fits: a token can be revoked, but not created.
      int bytes = text.getBytes(StandardCharsets.UTF_8).length;
      if (!Errno.isFull(e) || Files.notExists(path) || bytes > Files.size(path) || !reserve.has(bytes)) {
        throw e;
      }
      reserve.become(text, this::keepReaders);
    }
    OwnerOnly.sync(path.resolveSibling(""));
    reserve.keep();
  }

  private void writeAside(String text) throws IOException {
    Path fresh = Files.createTempFile(path.resolveSibling(""), ".tokens", ".new", OwnerOnly.FILE);
    try {
      try (FileOutputStream out = new FileOutputStream(fresh.toFile())) {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.getFD().sync();
      }
      keepReaders(fresh);
      Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(fresh);
    }
  }

  /**
   * Gives a new file the readers of the old one: a service that cannot read it would keep the old tokens. Without an
   * old file the directory's owner gets it, which root may do.
   */
  private void keepReaders(Path fresh) throws IOException {
    boolean isNew = Files.notExists(path);
    PosixFileAttributes like = Files.readAttributes(isNew ? path.resolveSibling("") : path, PosixFileAttributes.class);
    PosixFileAttributeView view = Files.getFileAttributeView(fresh, PosixFileAttributeView.class);
    if (!view.readAttributes().owner().equals(like.owner())) {
      view.setOwner(like.owner());
    }
    if (!isNew && like.permissions().contains(PosixFilePermission.GROUP_READ)) {
      view.setGroup(like.group());
      Files.setPosixFilePermissions(fresh, java.util.EnumSet.of(PosixFilePermission.OWNER_READ,
          PosixFilePermission.OWNER_WRITE, PosixFilePermission.GROUP_READ));
    }
  }
}

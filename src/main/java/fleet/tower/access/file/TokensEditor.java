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
 * Changes {@code tokens.yaml}: as a whole or not at all, and one change after the other, however many processes make some. What is
 * not about the token in question stays as its author wrote it, wherever that can be done. A token can be revoked while the disk
 * is full.
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

  /** What a change does to a text. */
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
  public Issued issue(Wanted wanted) {
    String token = TokenFile.newToken(random);
    Grant grant = new Grant(wanted.name(), wanted.role(), HexFormat.of().formatHex(Digests.sha256(token)),
        wanted.intents(), wanted.expires());
    Change change = change(before -> {
      if (find(grant.name(), before.grants()).isPresent()) {
        throw new InvalidValue(InvalidValue.Kind.REQUEST, "there is a token '" + grant.name()
            + "' already; revoke it first, or choose another name");
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
    // Looked for again behind the guard: of two who revoke it one has done so.
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
            path + " is a link, as in a pod whose tokens are a Secret; change what it comes from");
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
      throw new StorageException(path + " cannot be changed: " + Errno.describeWithFile(e), e);
    }
  }

  /** Never removed: who waits for it and who comes new must mean the same file. */
  private FileChannel guard() throws IOException {
    return FileChannel.open(path.resolveSibling(".tokens.guard"),
        java.util.Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), OwnerOnly.FILE);
  }

  /** Makes room for a revocation on a full disk, where the file was not written by this class; where that cannot be, nothing is done. */
  void keepReserve() {
    if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (FileChannel guard = guard(); FileLock lock = guard.tryLock()) {
      if (lock != null) {
        reserve.keep();
      }
    } catch (IOException | OverlappingFileLockException somebodyElseDoes) {
      // A directory that cannot be written, as in a pod; or somebody is changing the file, and keeps the reserve.
    }
  }

  /** Of those who were killed while they wrote; nobody else writes while this process has the guard. */
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
    return text.orElseThrow(() -> new StorageException("the tokens cannot be read: "
        + complaints.all().stream().filter(Complaint::isError).findFirst().map(Complaint::toString).orElse("")
        + "; mend that first"));
  }

  private void write(String text) throws IOException {
    try {
      writeAside(text);
    } catch (IOException e) {
      // Only what is shorter fits: a token can be revoked while the disk is full, and not given.
      int bytes = text.getBytes(StandardCharsets.UTF_8).length;
      if (!Errno.isFull(e) || Files.notExists(path) || bytes > Files.size(path) || !reserve.has(bytes)) {
        throw e;
      }
      reserve.become(text, this::letThemRead);
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
      letThemRead(fresh);
      Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(fresh);
    }
  }

  /**
   * Whoever could read the old file must be able to read the new one: a service that cannot would go on with the old tokens. Where
   * there is none, it is the owner of the directory, for whom root may do this.
   */
  private void letThemRead(Path fresh) throws IOException {
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

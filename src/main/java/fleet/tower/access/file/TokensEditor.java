package fleet.tower.access.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import fleet.tower.access.Generation;
import fleet.tower.access.Grant;
import fleet.tower.access.NewTokens;
import fleet.tower.access.StoredAccess;
import fleet.tower.access.Tokens;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.disk.WrittenFile;
import fleet.tower.platform.disk.WrittenFile.Also;
import fleet.tower.platform.yaml.Complaint;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.SourceFile;

/**
 * Changes {@code tokens.yaml}: atomically, and one change at a time among all processes. Whatever a change does not
 * concern stays as its author wrote it, if possible. Revocation works on a full disk.
 */
final class TokensEditor implements Tokens {
  private final Path path;
  private final OperatorFile operator;
  private final StoredAccess.LastUses uses;
  private final TokensReserve reserve;
  private final NewTokens fresh;

  TokensEditor(Path path, OperatorFile operator, StoredAccess.LastUses uses, NewTokens fresh) {
    this.path = path;
    this.operator = operator;
    this.uses = uses;
    this.reserve = new TokensReserve(path);
    this.fresh = fresh;
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
    String token = fresh.next();
    Grant grant = fresh.grant(request, token);
    Change change = change(before -> {
      if (find(grant.name(), before.grants()).isPresent()) {
        throw new InvalidValue(InvalidValue.Kind.REQUEST, "a token '" + grant.name()
            + "' exists; to replace it without a gap use `tower token rotate " + grant.name()
            + "`, or choose another name");
      }
      return before.with(grant);
    });
    return new Issued(grant, token, change);
  }

  @Override
  public Optional<Issued> rotate(String name, Rotation rotation) {
    if (find(name, list()).isEmpty()) {
      return Optional.empty();
    }
    String token = fresh.next();
    List<Grant> found = new ArrayList<>();
    Change change = change(before -> {
      Optional<Grant> grant = find(name, before.grants()).map(it -> fresh.rotated(it, token, rotation));
      grant.ifPresent(found::add);
      return grant.map(before::replacing).orElse(before);
    });
    return found.stream().findFirst().map(grant -> new Issued(grant, token, change));
  }

  @Override
  public RotatedOperator rotateOperator(Duration overlap) {
    return operator.rotate(overlap, fresh);
  }

  @Override
  public Optional<RotatedOperator> adoptOperator(Duration overlap) {
    return Optional.empty();
  }

  @Override
  public Optional<OperatorToken> operator() {
    return operator.look();
  }

  @Override
  public Optional<Instant> lastUse(Generation token) {
    return uses.last(token.sha256());
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
    return WrittenFile.open(path.resolveSibling(".tokens.guard"), Also.CREATE);
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
      Replacement.write(path, ".tokens", text);
    } catch (IOException e) {
      // On a full disk only a shorter text fits: a token can be revoked, but not created.
      int bytes = text.getBytes(StandardCharsets.UTF_8).length;
      if (!Errno.isFull(e) || Files.notExists(path) || bytes > Files.size(path) || !reserve.has(bytes)) {
        throw e;
      }
      reserve.become(text, fresh -> Replacement.finish(fresh, path));
    }
    OwnerOnly.sync(path.resolveSibling(""));
    reserve.keep();
  }
}

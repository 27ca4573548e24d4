package fleet.tower.remote;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.RefusedCommand;
import fleet.tower.answer.Reply;
import fleet.tower.answer.UsageError;
import fleet.tower.platform.ErrorCode;

/**
 * The token that a command sends to a service.
 *
 * @param text empty for none
 * @param file the file it was read from; null if the token itself was given
 */
public record Token(String text, @Nullable Path file) {
  /** No token. */
  public static final Token NONE = new Token("", null);

  /** A token given directly. */
  public static Token given(String text) {
    return new Token(text, null);
  }

  /** The token in a file. */
  public static Token in(Path file) {
    try {
      String text = Files.readString(file, StandardCharsets.ISO_8859_1).strip();
      if (!text.matches("[!-~]{1,16384}")) {
        throw new UsageError("TOWER_TOKEN_FILE " + file + " must hold one token on one line");
      }
      return new Token(text, file);
    } catch (IOException e) {
      throw new UsageError("TOWER_TOKEN_FILE " + file + " cannot be read: " + reason(e));
    }
  }

  private static String reason(IOException e) {
    return switch (e) {
      case NoSuchFileException _ -> "there is no such file";
      case AccessDeniedException _ -> "permission denied";
      default -> String.valueOf(e.getMessage());
    };
  }

  boolean isNone() {
    return text.isEmpty();
  }

  /**
   * Refuses to send the token to another user's process that listens in the service's place on this host; over HTTPS
   * the certificate protects it. A token given directly is sent without this check.
   *
   * @param connected whether a connection exists, so that a listener must be visible
   */
  void require(URI url, boolean connected) throws IOException {
    if (file == null || !"http".equals(url.getScheme())) {
      return;
    }
    long owner = ((Number) Files.getAttribute(file, "unix:uid")).longValue();
    switch (Listeners.at(url)) {
      case Listeners.Elsewhere() -> {
        // Another host; the warning about unencrypted transport is issued elsewhere.
      }
      case Listeners.Nobody() -> {
        if (connected) {
          throw refused(url, "no process on this host listens there");
        }
      }
      case Listeners.Users(Set<Long> uids) -> {
        Optional<Long> stranger = uids.stream().filter(uid -> uid != owner && uid != 0).findFirst();
        if (stranger.isPresent()) {
          throw refused(url, "user id " + stranger.get() + " listens there, but the file belongs to user id " + owner);
        }
      }
    }
  }

  private RefusedCommand refused(URI url, String why) {
    return new RefusedCommand(ErrorCode.SERVER_UNTRUSTED,
        Reply.failure(ErrorCode.SERVER_UNTRUSTED, "the token in " + file + " was not sent to " + url + ": " + why,
            "check which process listens there; a token in TOWER_TOKEN is sent without this check"));
  }
}

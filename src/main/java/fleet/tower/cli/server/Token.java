package fleet.tower.cli.server;

import static java.util.Objects.requireNonNull;

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

import fleet.tower.cli.reply.ErrorCode;
import fleet.tower.cli.reply.RemoteRefusal;
import fleet.tower.cli.shell.UsageError;

/**
 * What a service is shown to let a command in.
 *
 * @param text empty for none
 * @param file where it was read; null where somebody gave the token itself
 */
public record Token(String text, @Nullable Path file) {
  /** None at all. */
  public static final Token NONE = new Token("", null);

  public Token {
    requireNonNull(text);
  }

  /** One that somebody gave. */
  public static Token given(String text) {
    return new Token(text, null);
  }

  /** The one that a file holds. */
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
      case AccessDeniedException _ -> "this user may not read it";
      default -> String.valueOf(e.getMessage());
    };
  }

  boolean isNone() {
    return text.isEmpty();
  }

  /**
   * Refuses to be sent to a process of somebody else on this host, who listens where a service should: over https that is the
   * certificate's business. Whoever gives the token itself has said where it goes.
   *
   * @param connected whether there is a connection already, so that somebody must listen
   */
  void require(URI url, boolean connected) throws IOException {
    if (file == null || !"http".equals(url.getScheme())) {
      return;
    }
    long owner = ((Number) Files.getAttribute(file, "unix:uid")).longValue();
    switch (Listeners.at(url)) {
      case Listeners.Elsewhere() -> {
        // Another host; whether others can read the token on its way there is said elsewhere.
      }
      case Listeners.Nobody() -> {
        if (connected) {
          throw refused(url, "no process of this host is seen to listen there");
        }
      }
      case Listeners.Users(Set<Long> uids) -> {
        Optional<Long> stranger = uids.stream().filter(uid -> uid != owner && uid != 0).findFirst();
        if (stranger.isPresent()) {
          throw refused(url, "user id " + stranger.get() + " listens there, and the file belongs to user id " + owner);
        }
      }
    }
  }

  private RemoteRefusal refused(URI url, String why) {
    return new RemoteRefusal(ErrorCode.SERVER_UNTRUSTED,
        ErrorCode.SERVER_UNTRUSTED.reply("the token in " + file + " was not sent to " + url + ": " + why,
            "find out who listens there; a token in TOWER_TOKEN is sent to anybody"));
  }
}

package fleet.tower.service.web.access;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.UUID;

/** Tokens for tests; each is as long as a real one, and begins with its owner's name. */
public final class TestTokens {
  private TestTokens() {}

  /** The token of an owner. */
  public static String tokenOf(String name) {
    return name + "-" + "0123456789".repeat(4);
  }

  /** An entry of {@code tokens.yaml}. */
  public static String entry(String name, String role, String more) {
    return "- name: " + name + "\n  role: " + role + "\n  sha256: " + sha256(tokenOf(name)) + "\n" + more.indent(2);
  }

  public static String sha256(String token) {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  /** Replaces the tokens file of a home as an operator would; a service never reads half of it. */
  public static Path write(Path home, String text) {
    try {
      Path file = Files.createDirectories(home.resolve("config")).resolve("tokens.yaml");
      Path fresh = home.resolve(".tokens-" + UUID.randomUUID());
      Files.writeString(fresh, text);
      Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rw-------"));
      return Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

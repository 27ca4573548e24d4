package fleet.tower.run.submit;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.TreeMap;

import fleet.tower.run.execute.PreparedRun;

/**
 * The digest of a request, equal for two requests that are the same. How long a request waits is not part of it.
 * Secrets are hashed slowly, so that a weak secret cannot be found from the digest by trying.
 */
final class RequestDigest {
  private static final int ROUNDS_FOR_A_SECRET = 20_000;

  private RequestDigest() {}

  static String of(RunRequest request, PreparedRun prepared) {
    StringBuilder text = new StringBuilder();
    part(text, request.intent());
    part(text, request.origin().metadata());
    part(text, request.terms().withoutPatience().toString());
    if (request.origin().again() != null) {
      part(text, request.origin().again().value());
    }
    new TreeMap<>(request.params()).forEach((name, given) -> {
      boolean secret = prepared.intent().param(name).filter(param -> param.secret()).isPresent();
      part(text, name);
      part(text, given.kind().name());
      part(text, secret ? slow(salt(request), given.text()) : given.text());
    });
    return hex(sha256(text.toString().getBytes(StandardCharsets.UTF_8)));
  }

  /** Writes each part with its length, so that different lists of parts give different texts. */
  private static void part(StringBuilder text, String part) {
    text.append(part.length()).append(':').append(part).append('\n');
  }

  private static String salt(RunRequest request) {
    return request.requestId() + "/" + request.idempotencyKey();
  }

  private static String slow(String salt, String secret) {
    byte[] salted = sha256((salt + '\n' + secret).getBytes(StandardCharsets.UTF_8));
    for (int round = 0; round < ROUNDS_FOR_A_SECRET; round++) {
      salted = sha256(salted);
    }
    return hex(salted);
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}

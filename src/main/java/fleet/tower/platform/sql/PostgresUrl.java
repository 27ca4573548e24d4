package fleet.tower.platform.sql;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

import fleet.tower.platform.StorageException;

/**
 * Validates a PostgreSQL URL before the driver parses it. The driver repeats an invalid URL, including its password,
 * in errors and logs; this class never does.
 */
final class PostgresUrl {
  private static final Pattern HOSTS = host("//HOST(,HOST)*/.*");
  private static final int MAX_PORT = 65_535;

  private PostgresUrl() {}

  private static Pattern host(String pattern) {
    return Pattern.compile(pattern.replace("HOST", "([\\w.-]+|\\[[0-9A-Fa-f:.%]+])?(:\\d{1,5})?"));
  }

  /** Rejects a URL that the driver cannot parse, and states the reason without showing it. */
  static void require(String url) {
    int query = url.indexOf('?');
    String place = url.substring(Postgres.URL.length(), query < 0 ? url.length() : query);
    if (place.contains("@")) {
      throw invalid("it has an @ before the first ?; pass the user and the password as parameters");
    }
    if (place.matches(".*[;&=#\\s].*")) {
      throw invalid("its parameters must begin with a ?");
    }
    if (place.startsWith("//")) {
      requireHosts(place);
    }
    try {
      for (String part : url.split("[/?&=]", -1)) {
        URLDecoder.decode(part, StandardCharsets.UTF_8);
      }
    } catch (IllegalArgumentException e) {
      throw invalid("it has a % without two hexadecimal digits after it; write %25 for a percent sign");
    }
  }

  private static void requireHosts(String place) {
    boolean isReadable = HOSTS.matcher(place).matches();
    String hosts = place.substring(2, isReadable ? place.indexOf('/', 2) : 2);
    for (String host : hosts.split(",", -1)) {
      String port = host.replaceFirst(".*?(:(\\d+))?$", "$2");
      isReadable &= port.isEmpty() || (Integer.parseInt(port) > 0 && Integer.parseInt(port) <= MAX_PORT);
    }
    if (!isReadable) {
      throw invalid("its host or port is invalid, or no / follows them");
    }
  }

  private static StorageException invalid(String why) {
    return new StorageException("the database URL cannot be read: " + why
        + "; use jdbc:postgresql://HOST:PORT/NAME?user=USER&password=PASSWORD");
  }
}

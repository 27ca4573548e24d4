package fleet.tower.platform.sql;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

import fleet.tower.platform.StorageException;

/**
 * What a PostgreSQL URL must look like before its driver sees it. The driver repeats a URL that it cannot read, with the password
 * that is in it, in its errors and its log; nothing here does.
 */
final class PostgresUrl {
  private static final Pattern HOSTS = host("//HOST(,HOST)*/.*");
  private static final int MAX_PORT = 65_535;

  private PostgresUrl() {}

  private static Pattern host(String pattern) {
    return Pattern.compile(pattern.replace("HOST", "([\\w.-]+|\\[[0-9A-Fa-f:.%]+])?(:\\d{1,5})?"));
  }

  /** Refuses a URL that the driver could not read, and says what is wrong without showing it. */
  static void require(String url) {
    int query = url.indexOf('?');
    String place = url.substring(Postgres.URL.length(), query < 0 ? url.length() : query);
    if (place.contains("@")) {
      throw wrong("it has an @ in front of the first ?; the user and the password are parameters");
    }
    if (place.matches(".*[;&=#\\s].*")) {
      throw wrong("its parameters must begin with a ?");
    }
    if (place.startsWith("//")) {
      requireHosts(place);
    }
    try {
      for (String part : url.split("[/?&=]", -1)) {
        URLDecoder.decode(part, StandardCharsets.UTF_8);
      }
    } catch (IllegalArgumentException e) {
      throw wrong("it has a % that two hexadecimal digits do not follow; write %25 for a percent sign");
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
      throw wrong("its host or its port is not valid, or no / follows them");
    }
  }

  private static StorageException wrong(String why) {
    return new StorageException("the database URL cannot be read: " + why
        + "; use jdbc:postgresql://HOST:PORT/NAME?user=USER&password=PASSWORD");
  }
}

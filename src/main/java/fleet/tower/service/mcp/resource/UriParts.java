package fleet.tower.service.mcp.resource;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditTrail;
import fleet.tower.audit.EventNames;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.list.Cursor;
import fleet.tower.platform.text.Nearest;
import fleet.tower.platform.time.Timestamps;

/** The decoded segments and query parameters of an address. Every problem is an {@link InvalidValue}. */
record UriParts(List<String> segments, Map<String, String> query) {
  static final int MAX_LENGTH = 2048;
  private static final int DEFAULT_EVENTS = 100;
  private static final int MAX_EVENTS = 1000;
  private static final List<String> KINDS = List.of("prime", "intents", "runs", "locks", "audit", "hosts");
  private static final List<String> AUDIT_PARAMETERS = List.of("since", "until", "event", "lock_name", "request_id",
      "limit", "local", Cursor.PARAMETER);
  /** What RFC 3986 allows unescaped in a segment or query, except the separators of both. */
  private static final String ALLOWED = "-._~!$'()*+,;:@";

  /** @param rest the address without its scheme */
  static UriParts of(String rest) {
    if (rest.length() > MAX_LENGTH) {
      throw problem("the address is longer than " + MAX_LENGTH + " characters");
    }
    int mark = rest.indexOf('?');
    String path = mark < 0 ? rest : rest.substring(0, mark);
    List<String> segments = new ArrayList<>();
    for (String segment : path.split("/", -1)) {
      segments.add(decoded(segment));
    }
    return new UriParts(segments, mark < 0 ? Map.of() : query(rest.substring(mark + 1)));
  }

  private static Map<String, String> query(String text) {
    Map<String, String> query = new LinkedHashMap<>();
    for (String parameter : text.split("&", -1)) {
      int equals = parameter.indexOf('=');
      if (equals < 0) {
        throw problem("the query parameter " + InvalidValue.shown(parameter) + " has no value; write name=value");
      }
      String name = decoded(parameter.substring(0, equals));
      if (query.put(name, decoded(parameter.substring(equals + 1))) != null) {
        throw problem("the query parameter " + InvalidValue.shown(name) + " is given twice; give it once");
      }
    }
    return query;
  }

  private static String decoded(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '%') {
        bytes.write(escaped(text, i));
        i += 2;
      } else if (isAllowed(c)) {
        bytes.write(c);
      } else {
        throw problem("the address contains " + InvalidValue.shown(String.valueOf(c)) + ", which must be"
            + " percent-encoded or left out");
      }
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray())).toString();
    } catch (CharacterCodingException e) {
      throw problem("the address contains escapes that are not UTF-8");
    }
  }

  private static int escaped(String text, int percent) {
    int high = percent + 2 < text.length() ? Character.digit(text.charAt(percent + 1), 16) : -1;
    int low = percent + 2 < text.length() ? Character.digit(text.charAt(percent + 2), 16) : -1;
    if (high < 0 || low < 0) {
      throw problem("the address contains a % that is not followed by two hexadecimal digits; write %25 for a percent"
          + " sign");
    }
    return high * 16 + low;
  }

  private static boolean isAllowed(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || ALLOWED.indexOf(c) >= 0;
  }

  /** The resource that they name. */
  ResourceUri resource() {
    String kind = segments.getFirst();
    return switch (kind) {
      case "prime" -> plain(1, new ResourceUri.Prime());
      case "hosts" -> plain(1, new ResourceUri.Hosts());
      case "intents" -> plain(2, new ResourceUri.OfIntent(name("intents/{name}")));
      case "locks" -> plain(2, new ResourceUri.OfLock(new LeaseName(name("locks/{name}"))));
      case "runs" -> run(new RequestId(name("runs/{id}")));
      case "audit" -> audit();
      default -> throw problem("there is no kind of resource " + InvalidValue.shown(kind) + "; "
          + Nearest.of(kind, KINDS).map(near -> "did you mean " + ResourceUri.SCHEME + near + "?")
              .orElse("the kinds are " + String.join(", ", KINDS)));
    };
  }

  private ResourceUri run(RequestId id) {
    if (segments.size() == 2) {
      return plain(2, new ResourceUri.OfRun(id));
    }
    if (segments.size() != 3 || !segments.get(2).equals("log")) {
      throw problem("a run has the resources " + ResourceUri.SCHEME + "runs/{id} and " + ResourceUri.SCHEME
          + "runs/{id}/log");
    }
    allow(List.of("step", "offset"));
    return new ResourceUri.OfLog(id, query.get("step"), number("offset", 0, Long.MAX_VALUE).orElse(0L));
  }

  private ResourceUri audit() {
    requireSegments(1);
    allow(AUDIT_PARAMETERS);
    AuditTrail.Query asked = new AuditTrail.Query(moment("since"), query.get("lock_name"), query.get("request_id"),
        event(),
        moment("until"));
    String local = query.getOrDefault("local", "false");
    if (!List.of("true", "false").contains(local)) {
      throw problem("'local' must be true or false");
    }
    boolean isLocal = local.equals("true");
    int limit = number("limit", 1, MAX_EVENTS).orElse((long) DEFAULT_EVENTS).intValue();
    return new ResourceUri.Audit(asked, asked.page(isLocal, limit, query.get(Cursor.PARAMETER)), isLocal);
  }

  private String name(String template) {
    if (segments.size() < 2) {
      throw problem("the name is missing: " + ResourceUri.SCHEME + template);
    }
    return segments.get(1);
  }

  private ResourceUri plain(int count, ResourceUri resource) {
    requireSegments(count);
    allow(List.of());
    return resource;
  }

  private void requireSegments(int count) {
    if (segments.size() > count) {
      throw problem("the address has more segments than its kind of resource");
    }
  }

  private void allow(List<String> names) {
    query.keySet().stream().filter(name -> !names.contains(name)).findFirst().ifPresent(name -> {
      throw problem("unknown query parameter " + InvalidValue.shown(name) + "; " + Nearest.of(name, names)
          .map(near -> "did you mean " + near + "?")
          .orElse(names.isEmpty() ? "this resource has none" : "use " + String.join(", ", names)));
    });
  }

  private @Nullable String event() {
    String event = query.get("event");
    return event == null ? null : EventNames.known(event);
  }

  private @Nullable Instant moment(String name) {
    String value = query.get(name);
    return value == null
        ? null
        : Timestamps.parse(value)
            .orElseThrow(() -> problem("'" + name + "' must be a UTC time like 2026-01-31T08:00:00Z"));
  }

  private Optional<Long> number(String name, long min, long max) {
    String value = query.get(name);
    if (value == null) {
      return Optional.empty();
    }
    if (!value.matches("\\d{1,18}") || Long.parseLong(value) < min || Long.parseLong(value) > max) {
      throw problem("'" + name + "' must be a whole number from " + min
          + (max == Long.MAX_VALUE ? " up" : " to " + max));
    }
    return Optional.of(Long.valueOf(value));
  }

  private static InvalidValue problem(String text) {
    return new InvalidValue(InvalidValue.Kind.REQUEST, text);
  }
}

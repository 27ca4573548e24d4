package fleet.tower.audit.jsonl;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.EventNames;
import fleet.tower.audit.Origin;
import fleet.tower.golden.Golden;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.Ttl;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;

@DisplayName("The reference page of audit events is generated from the events")
class AuditReferenceTest {
  private static final Path SOURCE = Path.of(System.getProperty("project.basedir", ""),
      "src/main/java/fleet/tower/audit/AuditEvent.java");

  /** The members of an event's origin. */
  private static final Set<String> ORIGIN = Set.of("actor", "on_behalf_of", "door", "intent", "host_id", "pid");

  private record Row(String name, boolean isOfSpecification, String line) {}

  @Test
  @DisplayName("docs/reference/audit-events.md has every event with its members")
  void page() throws Exception {
    String source = Files.readString(SOURCE);
    List<Row> rows = new ArrayList<>();
    for (Class<?> type : types(AuditEvent.class).toList()) {
      rows.add(row(type, source));
    }
    assertThat(rows.stream().map(Row::name)).containsExactlyInAnyOrderElementsOf(EventNames.ALL);

    Golden.isWhole("docs/reference/audit-events.md",
        """
            # Audit events

            The audit log is one JSON object per line in `logs/audit/audit-YYYY-MM-DD.jsonl`, one file per UTC day. Every event
            has `event`, its name, and `timestamp`; the tables list the other members in their order. A member with `?` may be
            absent. `tower audit --event NAME` prints the events of one name. This page is generated from the program.

            ## Events of the specification

            They have exactly these members. Each is followed, in the same write, by a `lock_actor` that has its origin.

            %s
            ## Other events

            *origin* stands for the known ones of `actor`, `on_behalf_of`, `door`, `intent`, `host_id` and `pid`. A `door` is one
            of %s.
            `run_started`, and the `lock_actor` of `lock_acquired` and `lock_stolen`, also have `reason`, if the caller gave one.

            %s"""
            .formatted(table(rows, true), doors(), table(rows, false)));
  }

  private static String table(List<Row> rows, boolean ofSpecification) {
    StringBuilder table = new StringBuilder("| Event | | Members |\n|---|---|---|\n");
    rows.stream().filter(row -> row.isOfSpecification() == ofSpecification).forEach(row -> table.append(row.line()));
    return table.toString();
  }

  private static String doors() {
    return String.join(", ", Stream.of(Door.values()).map(door -> "`" + door + "`").toList());
  }

  /** All records among the kinds of an event. */
  private static Stream<Class<?>> types(Class<?> type) {
    return type.isRecord()
        ? Stream.of(type)
        : Stream.of(type.getPermittedSubclasses()).flatMap(AuditReferenceTest::types);
  }

  private static Row row(Class<?> type, String source) throws Exception {
    AuditEvent full = event(type, false);
    Set<String> always = members(event(type, true));
    List<String> cells = new ArrayList<>();
    for (String member : members(full)) {
      if (!ORIGIN.contains(member)) {
        cells.add("`" + member + "`" + (always.contains(member) ? "" : "?"));
      }
    }
    boolean isOfSpecification = full instanceof AuditEvent.OfSpecification;
    if (!isOfSpecification && members(full).contains("door")) {
      cells.add("*origin*");
    }
    cells.removeAll(List.of("`event`", "`timestamp`"));
    return new Row(EventNames.of(full), isOfSpecification, "| `" + EventNames.of(full) + "` | "
        + description(type.getSimpleName(), source) + " | " + String.join(", ", cells) + " |\n");
  }

  private static Set<String> members(AuditEvent event) throws JsonException {
    return new LinkedHashSet<>(JsonReader.readObject(AuditLines.of(event)).members().keySet());
  }

  /** The first sentence of a record's comment; a link to an event becomes its name. */
  private static String description(String type, String source) {
    Matcher comment = Pattern.compile("/\\*\\*((?:(?!\\*/).)*)\\*/\\s+record " + type + "\\(", Pattern.DOTALL)
        .matcher(source);
    assertThat(comment.find()).as(type).isTrue();
    String text = comment.group(1).replaceAll("\\s*\\n\\s*\\*?\\s*", " ").replaceAll("\\{@code\\s+([^}]+)}", "`$1`");
    return Pattern.compile("\\{@link (\\w+)}").matcher(text.replaceFirst("(?<=\\.) .*", ""))
        .replaceAll(link -> "`" + link.group(1).replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase(Locale.ROOT) + "`")
        .strip();
  }

  private static AuditEvent event(Class<?> type, boolean isSparse) throws Exception {
    return (AuditEvent) sample(type, isSparse);
  }

  private static Object sample(Class<?> type, boolean isSparse) throws Exception {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types = Stream.of(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    @Nullable
    Object[] values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      boolean isOptional = components[i].getAnnotatedType().isAnnotationPresent(Nullable.class);
      values[i] = isOptional && isSparse ? null : value(components[i].getType(), isSparse);
    }
    Constructor<?> constructor = type.getDeclaredConstructor(types);
    return constructor.newInstance(values);
  }

  private static Object value(Class<?> type, boolean isSparse) throws Exception {
    Lease lease = Events.lease();
    Map<Class<?>, Object> values = Map.of(String.class, "x", long.class, 1L, int.class, 1, boolean.class, true,
        Ttl.class, Ttl.DEFAULT, FencingToken.class, new FencingToken(1), Lease.class, lease, List.class, List.of("x"),
        Origin.class, Origin.of(new Actor("anna", "carol", Door.HTTP), lease.holder()));
    if (values.containsKey(type)) {
      return values.get(type);
    }
    for (Object value : List.of(Events.REQUEST, Events.AT, Events.NAME)) {
      if (type.isInstance(value)) {
        return value;
      }
    }
    return sample(type, isSparse);
  }
}

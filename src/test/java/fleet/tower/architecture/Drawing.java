package fleet.tower.architecture;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import com.tngtech.archunit.core.domain.JavaClass;

/** The house as it is drawn: every package, what it is for the others, and what it may use. */
record Drawing(List<Part> parts) {
  private static final String BASE = "fleet.tower";

  /** A row uses only rows above it, so there is no cycle. A new package begins as a row here. */
  static final Drawing HOUSE = new Drawing(List.of(
      core("time"),
      core("lease").uses("time"),
      core("json").uses("time"),
      core("words"),
      core("audit").uses("words", "lease", "json", "time"),
      core("heartbeat").uses("audit", "lease", "time"),
      core("exclusive").uses("audit", "lease", "json", "time"),
      core("presence"),
      core("waiting").uses("lease", "time"),
      core("freeze").uses("audit", "lease", "json", "time"),
      core("lock").uses("freeze", "waiting", "heartbeat", "audit", "lease", "json", "time"),
      core("guard").uses("lock", "waiting", "heartbeat", "lease"),
      core("task").uses("audit", "lease", "json", "time"),
      core("mailbox").uses("waiting", "heartbeat", "audit", "lease", "json", "time"),
      core("crew").uses("mailbox", "waiting", "heartbeat", "lock", "lease", "time"),
      core("access").uses("audit", "lease", "time"),
      core("intent").uses("words", "lease", "json"),
      core("doctor").uses("freeze", "lock", "intent", "lease", "time"),
      core("secret"),
      core("run").uses("intent", "lock", "lease", "json", "secret"),
      core("execution").uses("exclusive", "run", "intent", "lock", "heartbeat", "audit", "lease", "secret", "time"),
      core("dispatch").uses("exclusive", "execution", "run", "intent", "freeze", "lock", "waiting", "heartbeat",
          "audit",
          "lease",
          "json",
          "secret",
          "time"),

      core("schedule").uses("exclusive", "dispatch", "execution", "run", "intent", "lock", "audit", "lease", "time"),
      core("roster").uses("presence", "run", "lock", "lease", "json", "time"),
      core("queue").uses("crew", "dispatch", "execution", "mailbox", "heartbeat", "lock", "lease", "time"),
      core("retention").uses("run", "lock", "audit", "lease", "time"),
      core("worker").uses("task", "dispatch", "heartbeat", "intent", "lease", "json", "time"),

      support("disk").uses("doctor"),
      support("sql").uses("disk", "doctor", "lock", "lease"),
      support("process").uses("time"),
      support("yaml").uses("disk", "words", "json"),

      adapter("time.system").uses("time"),
      adapter("audit.jsonl").uses("disk", "audit", "doctor", "lease", "json", "time"),
      adapter("intent.yaml").uses("yaml", "disk", "words", "intent", "lease", "json", "time"),
      adapter("run.process").uses("process", "disk", "doctor", "run", "lock", "lease", "secret", "time"),
      adapter("guard.process").uses("process", "disk", "guard", "time"),
      adapter("run.sql").uses("sql", "doctor", "run", "intent", "lock", "lease", "json"),
      adapter("task.sql").uses("sql", "doctor", "task", "lock", "lease", "json", "time"),
      adapter("mailbox.sql").uses("sql", "doctor", "mailbox", "lock", "lease", "time"),
      adapter("roster.sql").uses("sql", "roster"),
      adapter("presence.file").uses("disk", "presence"),
      adapter("run.file").uses("disk", "run", "presence", "lock", "lease"),
      adapter("waiting.file").uses("disk", "doctor", "waiting", "presence", "lease"),
      adapter("lock.file").uses("disk", "freeze", "lock", "audit", "doctor", "lease", "json", "time"),
      adapter("lock.sql").uses("sql", "disk", "freeze", "lock", "doctor", "lease", "json", "time"),
      adapter("audit.sql").uses("sql", "audit", "lock", "json", "time"),
      adapter("waiting.sql").uses("sql", "disk", "doctor", "waiting", "lock", "lease", "time"),
      adapter("exclusive.file").uses("process", "disk", "exclusive", "doctor", "json", "time"),
      adapter("access.file").uses("yaml", "disk", "doctor", "access", "lock", "lease", "time"),

      adapter("access.oidc").uses("access", "time"),

      composition("home").uses("retention", "sql", "roster", "roster.sql", "queue", "schedule", "exclusive",
          "exclusive.file",
          "disk", "access", "doctor",
          "freeze",
          "guard",
          "guard.process", "heartbeat", "waiting",
          "presence", "lock", "audit", "intent", "run",
          "execution", "dispatch", "lease", "time", "access.file", "lock.file", "lock.sql", "waiting.file",
          "waiting.sql", "presence.file",
          "audit.jsonl", "audit.sql", "intent.yaml", "run.file", "run.process", "run.sql", "task", "task.sql",
          "mailbox",
          "mailbox.sql",
          "time.system"),

      door("cli.shell").uses("words", "json", "time"),
      door("cli.reply").uses("cli.shell", "lock", "lease", "json"),
      door("cli.run").uses("roster", "queue", "exclusive", "cli.reply", "cli.shell", "home", "dispatch", "execution",
          "run",
          "intent",
          "lock",
          "waiting", "lease", "json", "time"),
      door("cli.exclusive").uses("cli.shell", "home", "exclusive", "audit", "lease", "json"),
      door("cli.token").uses("cli.reply", "cli.shell", "home", "access", "json", "time"),
      door("cli.lock").uses("exclusive", "cli.reply", "cli.shell", "home", "freeze", "heartbeat", "lock", "waiting",
          "lease", "json",
          "time"),
      door("cli.guard").uses("cli.lock", "cli.reply", "cli.shell", "home", "guard", "heartbeat", "lock", "waiting",
          "audit", "lease", "json", "time"),
      door("cli.overview").uses("roster", "cli.reply", "cli.shell", "home", "dispatch", "execution", "run", "intent",
          "lease",
          "json"),
      door("cli.prime").uses("cli.overview", "cli.lock", "cli.reply", "cli.shell", "home", "freeze", "lock", "lease",
          "json"),
      door("cli.task").uses("cli.run", "cli.reply", "cli.shell", "home", "worker", "task", "dispatch", "intent",
          "lease",
          "json", "time"),
      door("cli.work").uses("roster", "cli.task", "cli.run", "cli.reply", "cli.shell", "home", "worker", "task",
          "guard",
          "dispatch", "execution", "run", "intent", "heartbeat", "lock", "lease", "json", "time"),
      door("cli.mailbox").uses("cli.reply", "cli.shell", "mailbox", "waiting", "lease", "json", "time"),
      door("cli.server").uses("cli.reply", "cli.shell", "access", "mailbox", "task", "waiting", "lease", "json",
          "time"),
      door("cli.remote.mailbox").uses("cli.server", "cli.mailbox", "cli.reply", "mailbox", "waiting", "lease", "json",
          "time"),
      door("cli.remote").uses("cli.remote.mailbox", "cli.mailbox", "cli.server", "cli.task", "task", "cli.lock",
          "cli.overview", "cli.run", "cli.reply",
          "cli.shell", "home",
          "doctor", "run", "intent", "freeze", "heartbeat", "lock",
          "waiting", "audit", "lease", "json", "time"),
      door("cli").uses("retention", "exclusive", "cli.token", "cli.exclusive", "cli.work", "cli.task", "cli.mailbox",
          "cli.prime",
          "cli.guard",
          "cli.remote",
          "cli.lock", "cli.overview",
          "cli.run",
          "cli.reply",
          "cli.shell",
          "home",
          "doctor",
          "dispatch",
          "execution", "run", "lock",
          "waiting", "audit",
          "intent", "lease",
          "json", "time"),
      door("web.http").uses("access", "words", "lock", "lease", "json", "time"),
      door("web.connection").uses("time"),
      door("web.access").uses("web.connection", "web.http", "access", "audit", "lease", "time"),
      door("web.call").uses("web.http", "access", "waiting", "lease", "json", "time"),
      door("web.freeze").uses("web.http", "access", "freeze", "lock", "lease", "json"),
      door("web.intent").uses("web.http", "dispatch", "intent", "json"),
      door("web.mailbox").uses("web.call", "web.http", "access", "mailbox", "waiting", "lease", "json"),
      door("web.task").uses("access", "web.intent", "web.call", "web.http", "worker", "task", "dispatch", "intent",
          "lease",
          "json", "time"),
      door("web.host").uses("web.http", "access", "roster"),
      door("web").uses("web.host", "exclusive", "web.access", "web.connection", "web.task", "web.mailbox", "web.call",
          "web.intent",
          "web.freeze",
          "web.http",
          "access", "dispatch",
          "execution", "run",
          "intent", "lock", "waiting",
          "audit",
          "lease", "json", "time", "heartbeat"),

      composition("config.health").uses("audit", "access", "home", "queue", "doctor", "crew", "heartbeat", "lock",
          "cli.shell",
          "time"),
      composition("config.metrics").uses("home", "dispatch", "run", "intent", "heartbeat", "lock", "waiting", "audit",
          "lease",
          "time"),
      composition("config.api").uses("web.http", "home", "yaml", "access", "json"),
      composition("config.log").uses("home", "cli.shell", "run", "lock", "audit", "lease", "json", "time"),
      composition("config.trace").uses("audit", "home", "run", "intent", "lock", "lease"),
      composition("config").uses("access.oidc", "retention", "config.api", "config.log", "config.trace", "time.system",
          "config.metrics",
          "config.health", "roster",
          "queue", "schedule", "crew", "task", "mailbox", "web", "cli", "cli.shell",
          "home",
          "access",
          "freeze", "dispatch", "run",
          "intent",
          "lock",
          "audit",
          "json", "time", "heartbeat"),
      composition("").uses("config", "cli", "cli.shell")));

  /** Those who put the house together, and so may ask an adapter's factory. */
  static final Set<String> MAY_OPEN_ADAPTERS = Set.of("home", "config", "");

  enum Kind {
    CORE,
    /** What several adapters need, and other support, and those who put the house together; nobody else may use it. */
    SUPPORT, ADAPTER, DOOR, COMPOSITION
  }

  /** One package; {@code name} is what follows the base package. */
  record Part(String name, Kind kind, Set<String> used) {
    Part uses(String... names) {
      return new Part(name, kind, Set.of(names));
    }

    String packageName() {
      return name.isEmpty() ? BASE : BASE + "." + name;
    }
  }

  static Part core(String name) {
    return new Part(name, Kind.CORE, Set.of());
  }

  static Part support(String name) {
    return new Part(name, Kind.SUPPORT, Set.of());
  }

  static Part adapter(String name) {
    return new Part(name, Kind.ADAPTER, Set.of());
  }

  static Part door(String name) {
    return new Part(name, Kind.DOOR, Set.of());
  }

  static Part composition(String name) {
    return new Part(name, Kind.COMPOSITION, Set.of());
  }

  /** The name of the house's package that a class is in; nothing for a class from elsewhere. */
  static Optional<String> nameOf(JavaClass type) {
    String in = type.getBaseComponentType().getPackageName();
    if (in.equals(BASE)) {
      return Optional.of("");
    }
    return in.startsWith(BASE + ".") ? Optional.of(in.substring(BASE.length() + 1)) : Optional.empty();
  }

  Optional<Part> part(String name) {
    return parts.stream().filter(part -> part.name().equals(name)).findFirst();
  }

  /** The full package names of one kind. */
  String[] packages(Kind kind) {
    return parts.stream().filter(part -> part.kind() == kind).map(Part::packageName).toArray(String[]::new);
  }

  private boolean isBelowCore(Part part) {
    int dot = part.name().lastIndexOf('.');
    return dot > 0 && part(part.name().substring(0, dot)).filter(it -> it.kind() == Kind.CORE).isPresent();
  }

  /** What is wrong with the drawing itself. */
  List<String> mistakes() {
    List<String> mistakes = new ArrayList<>();
    Set<String> above = new HashSet<>();
    for (Part part : parts) {
      for (String used : part.used()) {
        if (!above.contains(used)) {
          mistakes.add(part.name() + " uses " + used + ", which does not stand above it");
        }
        if (part.kind() != Kind.ADAPTER && part.kind() != Kind.SUPPORT && part.kind() != Kind.COMPOSITION
            && part(used).filter(it -> it.kind() == Kind.SUPPORT).isPresent()) {
          mistakes.add(part.name() + " uses " + used + ", which is for adapters and those who open them");
        }
        if (part(used).filter(it -> it.kind() == Kind.ADAPTER).isPresent()
            && !MAY_OPEN_ADAPTERS.contains(part.name())) {
          mistakes.add(part.name() + " uses the adapter " + used);
        }
      }
      if (isBelowCore(part) != (part.kind() == Kind.ADAPTER)) {
        mistakes.add(part.name() + ": an adapter, and nothing else, stands below the package of its port");
      }
      if (!above.add(part.name())) {
        mistakes.add(part.name() + " is drawn twice");
      }
    }
    return mistakes;
  }
}

package fleet.tower.home;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import fleet.tower.platform.InvalidConfiguration;
import fleet.tower.platform.text.Nearest;
import fleet.tower.platform.yaml.Complaint;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.Node;
import fleet.tower.platform.yaml.NodeReader;
import fleet.tower.platform.yaml.PlainReader;
import fleet.tower.platform.yaml.SourceFile;

/**
 * The file of a home with its settings, {@link HomeSettings#FILE}. Of its keys, all programs read those below
 * {@code tower}, nested or with dots, in any of the forms that Spring equates: case, hyphens and underscores do not
 * matter. The other keys are Spring's own, and only the service reads them.
 */
public final class SettingsFile {
  private static final SourceFile.Kind KIND = new SourceFile.Kind("the file of settings", null,
      "put all settings into one", "it has only settings");
  private static final String GROUP = "tower";
  /** Numbers that YAML changes when it reads them, such as 010 and 1_000. */
  private static final Pattern CHANGED_NUMBER = Pattern.compile("[-+]?(?:0[0-9_xb][0-9a-fA-F_]*|\\d[\\d_]*_[\\d_]*"
      + "|\\d[\\d_]*(?::[0-5]?\\d)+(?:\\.[\\d_]*)?|\\d[\\d_]*(?:\\.[\\d_]*)?(?:[eE][-+]?\\d+)|\\d[\\d_]*\\.[\\d_]*"
      + "|\\.\\d[\\d_]*(?:[eE][-+]?\\d+)?|\\.(?:inf|Inf|INF))|\\+\\d.*|\\.(?:nan|NaN|NAN)");
  private static final Pattern FLAG = Pattern.compile("yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE"
      + "|on|On|ON|off|Off|OFF");

  private final Complaints complaints;
  private final Map<String, Entry> entries = new HashMap<>();
  private final Map<String, Node.Position> seen = new HashMap<>();
  private final Map<String, Setting<?>> settings = new HashMap<>();

  private SettingsFile(Path path) {
    this.complaints = new Complaints(path.toString());
    Settings.ALL.forEach(setting -> settings.put(uniform(setting.key()), setting));
  }

  /**
   * A setting in the file.
   *
   * @param position of the value
   */
  record Entry(String text, Node.Position position) {}

  /**
   * The settings in a file, by their keys.
   *
   * @throws InvalidConfiguration if the file is invalid
   */
  static Map<String, Entry> read(Path path) {
    return new SettingsFile(path).read(new SourceFile(path, KIND));
  }

  private Map<String, Entry> read(SourceFile file) {
    file.read(complaints).flatMap(text -> PlainReader.read(text).or(() -> NodeReader.read(text, KIND, complaints)))
        .ifPresent(this::root);
    if (complaints.hasErrors()) {
      throw new InvalidConfiguration(
          complaints.all().stream().map(Complaint::toString).collect(Collectors.joining("\n")));
    }
    return entries;
  }

  private void root(Node root) {
    if (root instanceof Node.Mapping all) {
      for (Node.Entry entry : all.entries()) {
        if (isOurs(entry.key().text())) {
          entry("", entry);
        }
      }
    } else if (!isNone(root)) {
      complaints.error(root.position(), "must be a mapping of settings");
    }
  }

  /** Whether a key of any form is {@code tower} or below it. */
  public static boolean isOurs(String key) {
    String uniform = uniform(key);
    return uniform.equals(GROUP) || uniform.startsWith(GROUP + ".") || uniform.startsWith(GROUP + "[");
  }

  /** The form that all spellings of a key share. */
  public static String uniform(String key) {
    return key.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
  }

  private void entry(String group, Node.Entry entry) {
    String key = group.isEmpty() ? entry.key().text() : group + "." + entry.key().text();
    Setting<?> setting = settings.get(uniform(key));
    if (setting == null) {
      group(key, entry);
    } else if (!Settings.isOfFile(setting)) {
      complaints.error(entry.key().position(), "a home does not say this of itself; set " + setting.variable()
          + " in the environment");
    } else {
      put(setting, entry);
    }
  }

  private void group(String key, Node.Entry entry) {
    String prefix = uniform(key) + ".";
    boolean isGroup = settings.keySet().stream().anyMatch(known -> known.startsWith(prefix));
    if (isGroup && entry.value() instanceof Node.Mapping members) {
      members.entries().forEach(member -> entry(key, member));
    } else if (!isGroup || !isNone(entry.value())) {
      complaints.error(entry.key().position(), "there is no setting " + key
          + Nearest.of(key, Settings.ALL.stream().map(Setting::key).toList())
              .map(near -> "; did you mean " + near + "?").orElse(""));
    }
  }

  /** Whether there is no value, as if all members of a group are comments. */
  private static boolean isNone(Node value) {
    return value instanceof Node.Scalar scalar && scalar.kind() == Node.Scalar.Kind.NULL;
  }

  private void put(Setting<?> setting, Node.Entry entry) {
    Node.Position earlier = seen.putIfAbsent(setting.key(), entry.key().position());
    if (earlier != null) {
      complaints.error(entry.key().position(), setting.key() + " is set twice; first on line " + earlier.line());
      return;
    }
    text(setting, entry.value()).ifPresent(text -> {
      if (!setting.allows(text)) {
        complaints.error(entry.value().position(), setting.key() + " is " + setting.refusal(text));
      }
      entries.put(setting.key(), new Entry(text, entry.value().position()));
    });
  }

  /** The text of a value; empty if it is none, which is the same as no setting. */
  private Optional<String> text(Setting<?> setting, Node value) {
    // No switch over the types of nodes: the JVM generates a class for each, which takes as long as a short command.
    if (value instanceof Node.Scalar scalar) {
      return scalar(setting, scalar);
    }
    if (value instanceof Node.Sequence list && Settings.isList(setting)) {
      return list(setting, list.items());
    }
    complaints.error(value.position(), setting.key() + " must be " + setting.allowed());
    return Optional.empty();
  }

  private Optional<String> list(Setting<?> setting, List<Node> items) {
    return Optional.of(items.stream().flatMap(item -> {
      if (item instanceof Node.Scalar scalar && !scalar.text().contains(",")) {
        return scalar(setting, scalar).stream();
      }
      complaints.error(item.position(), "an item of " + setting.key() + " must be a text without commas");
      return Optional.<String>empty().stream();
    }).collect(Collectors.joining(","))).filter(text -> !text.isEmpty());
  }

  private Optional<String> scalar(Setting<?> setting, Node.Scalar scalar) {
    String text = scalar.text();
    if (text.contains("${")) {
      complaints.error(scalar.positionOf(text.indexOf("${")), "${…} is not replaced in settings; write the value, or"
          + " set the variable " + setting.variable() + " for all programs of this home");
      return Optional.empty();
    }
    boolean isFlag = setting.type() != Boolean.class && FLAG.matcher(text).matches();
    if (scalar.isPlain() && (isFlag || CHANGED_NUMBER.matcher(text).matches())) {
      complaints.error(scalar.position(), "YAML changes " + text + " when it reads it; write it in quotes");
      return Optional.empty();
    }
    return isNone(scalar) || (text.isEmpty() && !setting.allows(text)) ? Optional.empty() : Optional.of(text);
  }
}

package fleet.tower.access;

import java.util.List;
import java.util.Locale;

import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.text.VisibleText;
import fleet.tower.platform.text.Wildcards;

/** A pattern of the names of one kind of thing, with {@code *} for any characters: {@code ci-*}. */
public record NamePattern(Kind kind, String text) {

  /** What has the names. */
  public enum Kind {
    INTENT(64, "characters of a-z, 0-9, -", "deploy-*"), //
    LOCK(128, "characters of a-z, 0-9, -, _", "ci-*"), //
    MAILBOX(128, "characters of a-z, 0-9, -, _", "jobs-*"), //
    PROJECT(128, "printable characters", "web-*");

    private final int maxLength;
    private final String characters;
    private final String example;

    Kind(int maxLength, String characters, String example) {
      this.maxLength = maxLength;
      this.characters = characters;
      this.example = example;
    }

    private boolean allows(String text) {
      return !text.isBlank() && text.length() <= maxLength && !text.contains("**") && switch (this) {
        case INTENT -> text.matches("[a-z0-9*-]*");
        case LOCK, MAILBOX -> text.matches("[a-z0-9_*-]*");
        case PROJECT -> VisibleText.isPlain(text);
      };
    }
  }

  public NamePattern {
    if (!kind.allows(text)) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, kind.name().toLowerCase(Locale.ROOT) + " pattern "
          + InvalidValue.shown(text) + " must have 1 to " + kind.maxLength + " " + kind.characters
          + " and single *; for example " + kind.example);
    }
  }

  /** A pattern of intents. */
  public static NamePattern intent(String text) {
    return new NamePattern(Kind.INTENT, text);
  }

  /** A pattern of locks. */
  public static NamePattern lock(String text) {
    return new NamePattern(Kind.LOCK, text);
  }

  /** A pattern of mailboxes. */
  public static NamePattern mailbox(String text) {
    return new NamePattern(Kind.MAILBOX, text);
  }

  /** A pattern of projects. */
  public static NamePattern project(String text) {
    return new NamePattern(Kind.PROJECT, text);
  }

  /** Whether a name matches. */
  public boolean matches(String name) {
    return Wildcards.matches(text, name);
  }

  /** Whether only one name matches, which is the text. */
  boolean isOneName() {
    return !text.contains("*");
  }

  /** Several patterns in words. */
  public static String joined(List<NamePattern> patterns) {
    return String.join(", ", patterns.stream().map(NamePattern::text).toList());
  }

  @Override
  public String toString() {
    return text;
  }
}

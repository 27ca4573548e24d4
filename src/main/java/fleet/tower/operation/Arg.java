package fleet.tower.operation;

import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Role;
import fleet.tower.platform.json.JsonObject;

/**
 * One argument of operations, described once: what it is called at each door, what its values are, and what it means if
 * it is absent.
 *
 * @param name its name in JSON and in queries
 * @param otherwise the value if it is absent; null if it has none
 * @param isRequired whether a caller must give it
 * @param needed the role that may give it; null if everyone may who may ask for the operation
 * @param option the name of the option of a command, or a hyphen and its letter; null if the commands take it as an
 * operand only
 * @param placeholder what help shows for a value; in brackets for an operand that may be left out, or be given as the
 * option instead
 * @param bare the value of an option that is given without one; null if it needs one
 * @param doors the doors that take it
 * @param says what it is, as in "the id of the request"
 */
public record Arg<T>(String name, Kind<T> kind, @Nullable T otherwise, boolean isRequired, @Nullable Role needed,
    @Nullable String option, String placeholder, @Nullable T bare, Set<Via> doors, String says) {

  /** The doors that an argument may come through. */
  public enum Via {
    HTTP, TOOL, COMMAND,
    /** A header of a call over HTTP. */
    HEADER
  }

  public Arg {
    doors = Set.copyOf(doors);
  }

  private static <T> Arg<T> of(String name, Kind<T> kind, String placeholder, String says) {
    return new Arg<>(name, kind, null, false, null, name.replace('_', '-'), placeholder, null,
        EnumSet.of(Via.HTTP, Via.TOOL, Via.COMMAND), says);
  }

  /** A text. */
  public static Arg<String> text(String name, String placeholder, String says) {
    return of(name, new Kind.Text(false, 0), placeholder, says);
  }

  /** A text that is not blank and not longer than this. */
  public static Arg<String> text(String name, int most, String placeholder, String says) {
    return of(name, new Kind.Text(false, most), placeholder, says);
  }

  /** A text that is stored as JSON, so that it may contain any character. */
  public static Arg<String> anyText(String name, String placeholder, String says) {
    return of(name, new Kind.Text(true, 0), placeholder, says);
  }

  /** A whole number. */
  public static Arg<Long> whole(String name, long min, long max, String placeholder, String says) {
    return of(name, new Kind.Whole(min, max, false, false), placeholder, says);
  }

  /** A time span of which a command's option does not name the unit: {@code ttl_seconds} is {@code --ttl}. */
  public static Arg<Long> seconds(String name, long min, long max, String says) {
    return of(name, new Kind.Whole(min, max, true, min == 0), "D", says)
        .option(name.replace("_seconds", "").replace('_', '-'));
  }

  /** A time span that may be zero, and that a command does not round. */
  public static Arg<Long> wholeSeconds(String name, long max, String says) {
    return of(name, new Kind.Whole(0, max, true, false), "D", says);
  }

  /** Something that is so if it is given. */
  public static Arg<Boolean> flag(String name, String says) {
    return of(name, new Kind.Flag(), "", says).or(false);
  }

  /** One of several words. */
  public static Arg<String> word(String name, List<String> words, String says) {
    return of(name, new Kind.Word(words), String.join("|", words), says);
  }

  /** One of several words, which a command's help lists. */
  public static Arg<String> word(String name, String placeholder, List<String> words, String says) {
    return of(name, new Kind.Word(words), placeholder, says);
  }

  /** A text that matches a pattern. */
  public static Arg<String> formed(String name, Pattern form, String expected, String placeholder, String says) {
    return of(name, new Kind.Formed(form, expected), placeholder, says);
  }

  /** How long the answer of a call may be delayed, in its header. */
  public static Arg<Preference> preference(String name, String says) {
    return of(name, new Kind.Preferred(), "P", says).only(Via.HEADER);
  }

  /** A list of texts. */
  public static Arg<List<String>> texts(String name, String placeholder, String says) {
    return of(name, new Kind.Texts(0), placeholder, says);
  }

  /** A list of texts that is not empty and not longer than this. */
  public static Arg<List<String>> texts(String name, int most, String placeholder, String says) {
    return of(name, new Kind.Texts(most), placeholder, says);
  }

  /** A JSON object. */
  public static Arg<JsonObject> members(String name, String placeholder, String says) {
    return of(name, new Kind.Members(), placeholder, says);
  }

  /** Any JSON value, as it was written. */
  public static Arg<String> json(String name, String placeholder, String says) {
    return of(name, new Kind.Json(), placeholder, says);
  }

  /** A moment in UTC. */
  public static Arg<Instant> moment(String name, String says) {
    return of(name, new Kind.Moment(), "D|TIME", says);
  }

  /** The same argument, which a caller must give. */
  public Arg<T> must() {
    return new Arg<>(name, kind, null, true, needed, option, placeholder, bare, doors, says);
  }

  /** The same argument with a value if it is absent. */
  public Arg<T> or(T value) {
    return new Arg<>(name, kind, value, isRequired, needed, option, placeholder, bare, doors, says);
  }

  /** The same argument, which only a role may give. */
  public Arg<T> needs(Role role) {
    return new Arg<>(name, kind, otherwise, isRequired, role, option, placeholder, bare, doors, says);
  }

  /** The same argument with another name of its option. */
  public Arg<T> option(String words) {
    return new Arg<>(name, kind, otherwise, isRequired, needed, words, placeholder, bare, doors, says);
  }

  /** The same argument, which commands take as an operand. */
  public Arg<T> operand() {
    return new Arg<>(name, kind, otherwise, isRequired || !placeholder.startsWith("["), needed, null, placeholder, bare,
        doors, says);
  }

  /** The same argument, whose option may be given without a value. */
  public Arg<T> bare(T value) {
    return new Arg<>(name, kind, otherwise, isRequired, needed, option, placeholder, value, doors, says);
  }

  /** The same argument, which only these doors take. */
  public Arg<T> only(Via first, Via... others) {
    return new Arg<>(name, kind, otherwise, isRequired, needed, option, placeholder, bare, EnumSet.of(first, others),
        says);
  }

  /** The same argument with another meaning. */
  public Arg<T> says(String other) {
    return new Arg<>(name, kind, otherwise, isRequired, needed, option, placeholder, bare, doors, other);
  }

  /** Whether commands take it as an operand. */
  public boolean isOperand() {
    return option == null || placeholder.startsWith("[");
  }

  /** What help shows for a value, without the brackets of an optional one. */
  public String called() {
    return placeholder.replaceAll("[\\[\\].]", "");
  }

  /** Whether a door takes it. */
  public boolean isAt(Via door) {
    return doors.contains(door);
  }

  /** Two arguments are the same if they have the same name: an operation has only one of them. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Arg<?> arg && name.equals(arg.name);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }
}

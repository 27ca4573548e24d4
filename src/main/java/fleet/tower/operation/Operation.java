package fleet.tower.operation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Role;
import fleet.tower.operation.Arg.Via;
import fleet.tower.platform.json.JsonObject;

/**
 * Something that a caller may ask for, described once. Every door is a view of it: a call over HTTP, a command, a tool
 * of agents, an entry in the documents.
 *
 * @param id its name in the document of all calls
 * @param role the role that may ask for it
 * @param says what it does, as in "release a lock that I hold"
 * @param path the path of the call; its placeholders stand for the first arguments, in their order
 * @param command the words of the command; null if there is none
 * @param tool the tool; null if there is none
 * @param isEnveloped whether the answers over HTTP have the envelope of tasks and mailboxes
 * @param waiting how its requests wait; null if they do not
 * @param args its arguments, those of the path first
 */
public record Operation(String id, Role role, String says, Method method, String path, @Nullable String command,
    @Nullable Tool tool, boolean isEnveloped, @Nullable Waiting waiting, List<Arg<?>> args) {

  private static final Pattern VARIABLE = Pattern.compile("\\{(\\w+)}");

  /** The method of a call. */
  public enum Method {
    GET, POST, PUT, DELETE;

    /** Whether the arguments are members of a body. */
    public boolean hasBody() {
      return this == POST || this == PUT;
    }
  }

  /**
   * The tool that does the same.
   *
   * @param says what it does, for a model, in as few words as possible
   * @param action the value of its argument {@code action} if it does several operations; null if it does only this one
   */
  public record Tool(String name, Effect effect, String says, @Nullable String action) {}

  /** What a tool changes. */
  public enum Effect {
    NOTHING,
    /** What it changes is its caller's own, or new. */
    OWN,
    /** The same, and a request that is repeated with the same arguments changes nothing more. */
    OWN_ONCE,
    /** It may delete something. */
    DELETION
  }

  /**
   * How a request waits until something is granted to it.
   *
   * @param limit the argument that says for how long
   * @param withdrawal the operation that ends the wait of a request, whose arguments are among those of the request
   * @param release the operation that gives back what was granted to a client that is gone
   * @param granted the arguments of {@code release}, for each thing that the data of an answer grants
   */
  public record Waiting(Arg<Long> limit, Operation withdrawal, Operation release,
      Function<JsonObject, List<Given>> granted) {}

  public Operation {
    args = List.copyOf(args);
  }

  /**
   * Each operation is declared once. The methods that Java generates for records cost a short command some 20 ms,
   * because the start-up cache does not keep them.
   */
  @Override
  public boolean equals(@Nullable Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return id.hashCode();
  }

  /** An operation without a command and a tool. */
  public static Operation of(String id, Role role, Method method, String path, String says, Arg<?>... args) {
    return new Operation(id, role, says, method, path, null, null, false, null, List.of(args));
  }

  /** The same operation with a command. */
  public Operation command(String words) {
    return new Operation(id, role, says, method, path, words, tool, isEnveloped, waiting, args);
  }

  /** The same operation with a tool. */
  public Operation tool(String name, Effect effect, String forModels) {
    return tool(new Tool(name, effect, forModels, null));
  }

  /** The same operation as an action of a tool that does several. */
  public Operation action(String tool, String action) {
    return tool(new Tool(tool, Effect.DELETION, says, action));
  }

  private Operation tool(Tool other) {
    return new Operation(id, role, says, method, path, command, other, isEnveloped, waiting, args);
  }

  /** The same operation, whose answers over HTTP have an envelope. */
  public Operation enveloped() {
    return new Operation(id, role, says, method, path, command, tool, true, waiting, args);
  }

  /** The same operation, whose requests may wait. */
  public Operation waiting(Waiting how) {
    return new Operation(id, role, says, method, path, command, tool, isEnveloped, how, args);
  }

  /** The words of its command. */
  public String words() {
    return Optional.ofNullable(command).orElseThrow(() -> new IllegalStateException(id + " has no command"));
  }

  /** The name of its tool. */
  public String toolName() {
    return Optional.ofNullable(tool).orElseThrow(() -> new IllegalStateException(id + " has no tool")).name();
  }

  /** Its method and path, as in {@code GET /locks}. */
  public String call() {
    return method + " " + path;
  }

  /** The arguments that a door takes. */
  public Stream<Arg<?>> at(Via door) {
    return args.stream().filter(arg -> arg.isAt(door));
  }

  /** The names of the path's placeholders. */
  public List<String> variables() {
    return VARIABLE.matcher(path).results().map(found -> found.group(1)).toList();
  }

  /** The arguments in the path. */
  public List<Arg<?>> inPath() {
    return args.subList(0, variables().size());
  }

  /** The arguments of the call that are not in its path. */
  public List<Arg<?>> besidesPath() {
    return args.stream().skip(inPath().size()).filter(arg -> arg.isAt(Via.HTTP)).toList();
  }

  /** The argument of this name. */
  public Optional<Arg<?>> arg(String name) {
    return args.stream().filter(arg -> arg.name().equals(name)).findFirst();
  }

  /** Whether a client that asks for a stream of events gets one, which a controller sends. */
  public boolean isStreamed() {
    return args.contains(CommonArgs.LAST_EVENT_ID);
  }

  /** Whether a door takes all that is given besides the headers of a call. */
  public boolean takes(Given given, Via door) {
    List<Arg<?>> unknown = new ArrayList<>();
    given.forEach((arg, _) -> {
      if (!arg.doors().equals(Set.of(Via.HEADER))
          && args.stream().noneMatch(one -> one.equals(arg) && one.isAt(door))) {
        unknown.add(arg);
      }
    });
    return unknown.isEmpty();
  }
}

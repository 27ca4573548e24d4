package fleet.tower.access;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The limits of a token within its role, and its right to approve, which no role includes.
 *
 * @param intents the intents that it may plan, run, queue and use in tasks; empty for all
 *
 * @param locks the locks that it may hold itself; empty for all. They do not limit the lock that a run takes:
 *     its intent and parameters do.
 *
 * @param mailboxes the mailboxes that it may send to and receive from; empty for all
 *
 * @param tasks the projects whose tasks it may create and work on; empty for all tasks, also those of no project
 *
 * @param approve the intents whose runs it may approve; empty for none
 */
public record Scope(List<AllowedIntents> intents, List<NamePattern> locks, List<NamePattern> mailboxes,
    List<NamePattern> tasks, List<NamePattern> approve) {
  /** No limits, and no right to approve. */
  public static final Scope ALL = new Scope(List.of(), List.of(), List.of(), List.of(), List.of());
  /** No limits, and the right to approve every intent. */
  public static final Scope APPROVER = new Scope(List.of(), List.of(), List.of(), List.of(),
      List.of(NamePattern.intent("*")));

  public Scope {
    intents = List.copyOf(intents);
    locks = List.copyOf(locks);
    mailboxes = List.copyOf(mailboxes);
    tasks = List.copyOf(tasks);
    approve = List.copyOf(approve);
  }

  /** Whether an intent is allowed with some parameter values. */
  boolean allows(String intent) {
    return intents.isEmpty() || intents.stream().anyMatch(it -> it.name().matches(intent));
  }

  /** Whether an intent is allowed with these values, defaults included. */
  boolean allows(String intent, Map<String, String> values) {
    return intents.isEmpty() || intents.stream().anyMatch(it -> it.covers(intent, values));
  }

  /** The values that are allowed for an intent, one entry for each alternative; empty for any values. */
  public List<AllowedIntents> limitsOf(String intent) {
    List<AllowedIntents> matching = intents.stream().filter(it -> it.name().matches(intent)).toList();
    return matching.stream().anyMatch(it -> it.params().isEmpty()) ? List.of() : matching;
  }

  boolean allowsLock(String lock) {
    return allows(locks, lock);
  }

  boolean allowsMailbox(String mailbox) {
    return allows(mailboxes, mailbox);
  }

  /** Whether tasks of a project are allowed; null for tasks of none. */
  boolean allowsTasksOf(@Nullable String project) {
    return tasks.isEmpty() || (project != null && allows(tasks, project));
  }

  boolean mayApprove(String intent) {
    return !approve.isEmpty() && allows(approve, intent);
  }

  private static boolean allows(List<NamePattern> patterns, String name) {
    return patterns.isEmpty() || patterns.stream().anyMatch(it -> it.matches(name));
  }
}

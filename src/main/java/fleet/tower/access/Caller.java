package fleet.tower.access;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.text.VisibleText;

/**
 * An identified caller.
 *
 * @param name the token's name, and the actor of everything done with it
 *
 * @param person the name of the person who answers for the caller, looked up when it is needed
 *
 * @param scope the limits of the caller within its role
 *
 * @param onBehalfOf on whose behalf the caller claims to act; recorded, but grants no right
 *
 * @param credential the caller's credential, rechecked while one of its calls waits
 *
 * @param door the caller's stated way in; recorded, but grants no right
 */
public record Caller(String name, Supplier<String> person, Role role, Scope scope, @Nullable String onBehalfOf,
    Credential credential, Door door) {
  private static final int MAX_LENGTH = 512;

  /** A caller over HTTP without a token, on its own behalf, who is its own principal. */
  public static Caller of(String name, Role role, Scope scope) {
    return of(name, name, role, scope);
  }

  /** The same with another principal. */
  public static Caller of(String name, String principal, Role role, Scope scope) {
    return new Caller(name, () -> principal, role, scope, null, Credential.NONE, Door.HTTP);
  }

  /** A user of the files of a home, who may approve every intent; {@code user} is that of the operating system. */
  public static Caller ofUser(String name, Supplier<String> user, Role role, Door door) {
    return new Caller(name, user, role, Scope.APPROVER, null, Credential.NONE, door);
  }

  /** The same, limited to matching intents with any parameter values; empty for all. */
  public static Caller of(String name, Role role, List<NamePattern> intents) {
    return of(name, role, new Scope(intents.stream().map(AllowedIntents::any).toList(), List.of(),
        List.of(), List.of(), List.of()));
  }

  /**
   * The person who answers for the caller, whoever it acts for: the owner or the name of a token, the issuer and subject
   * of a login as {@code oidc:ISSUER#SUBJECT}, or the user of the operating system.
   */
  public String principal() {
    return person.get();
  }

  /** The caller as an actor in the audit log. */
  public Actor actor() {
    return new Actor(name, onBehalfOf, door);
  }

  /**
   * The token to which the caller's claims belong, by its name; null for an operator, who may end those of others, and
   * for a caller without a token.
   */
  public @Nullable String token() {
    return role.covers(Role.OPERATOR) || credential.equals(Credential.NONE) ? null : name;
  }

  /** Throws unless the caller's role suffices; {@code what} completes "may not", as in "freeze a lock". */
  public void require(Role needed, String what) {
    if (!role.covers(needed)) {
      throw new Forbidden(Forbidden.Reason.ROLE_TOO_LOW, "'" + name + "' has role " + role + " and may not " + what
          + "; that needs the role " + needed, needed);
    }
  }

  /** Throws if the caller would end or extend another's resource, unless it is an operator. */
  public void requireOwn(String owner, String what) {
    if (!owner.equals(name) && !role.covers(Role.OPERATOR)) {
      throw new Forbidden(Forbidden.Reason.NOT_YOURS, "'" + name + "' has role " + role + " and may not " + what
          + ", which belongs to '" + owner + "'; that needs the role " + Role.OPERATOR, Role.OPERATOR);
    }
  }

  /** Whether the caller may run an intent with some parameter values. */
  public boolean mayRun(String intent) {
    return role.covers(Role.AGENT) && allows(intent);
  }

  /** Whether the caller may run an intent with these parameter values, defaults included. */
  public boolean mayRun(String intent, Map<String, String> values) {
    return role.covers(Role.AGENT) && scope.allows(intent, values);
  }

  /** Whether the caller may hold a lock itself. */
  public boolean mayHold(String lock) {
    return role.covers(Role.AGENT) && scope.allowsLock(lock);
  }

  /** Whether the caller may take locks by force, release those of others, and freeze. */
  public boolean mayForce() {
    return role.covers(Role.OPERATOR);
  }

  /** Whether the caller may approve runs of an intent, whatever its role. */
  public boolean mayApprove(String intent) {
    return scope.mayApprove(intent);
  }

  /** Whether the caller's token allows this intent. */
  public boolean allows(String intent) {
    return scope.allows(intent);
  }

  /** Throws if the caller's token does not allow this intent. */
  public void requireIntent(String intent) {
    if (!allows(intent)) {
      throw new Forbidden(Forbidden.Reason.INTENT_NOT_ALLOWED, "'" + name + "' may run "
          + String.join(", ", scope.intents().stream().map(AllowedIntents::toString).toList()) + ", but not "
          + InvalidValue.shown(intent), null);
    }
  }

  /** Throws if the caller's token does not allow this intent with these values, defaults included. */
  public void requireIntent(String intent, Map<String, String> values) {
    requireIntent(intent);
    if (!scope.allows(intent, values)) {
      throw new Forbidden(Forbidden.Reason.PARAMS_NOT_ALLOWED, "'" + name + "' may run " + InvalidValue.shown(intent)
          + " only with " + String.join(", or with ",
              scope.limitsOf(intent).stream().map(AllowedIntents::limits).toList()),
          null);
    }
  }

  /** Throws if the caller's token does not allow it to hold this lock itself. */
  public void requireLock(String lock) {
    if (!scope.allowsLock(lock)) {
      throw new Forbidden(Forbidden.Reason.LOCK_NOT_ALLOWED, "'" + name + "' may hold the locks "
          + NamePattern.joined(scope.locks()) + ", but not " + InvalidValue.shown(lock), null);
    }
  }

  /** Throws if the caller's token does not allow it to use this mailbox. */
  public void requireMailbox(String mailbox) {
    if (!scope.allowsMailbox(mailbox)) {
      throw new Forbidden(Forbidden.Reason.MAILBOX_NOT_ALLOWED, "'" + name + "' may use the mailboxes "
          + NamePattern.joined(scope.mailboxes()) + ", but not " + InvalidValue.shown(mailbox), null);
    }
  }

  /** Whether the caller's token limits it to the tasks of some projects. */
  public boolean isLimitedToProjects() {
    return !scope.tasks().isEmpty();
  }

  /** Throws if the caller's token does not allow it to work on tasks of this project; null for tasks of none. */
  public void requireTasksOf(@Nullable String project) {
    if (!scope.allowsTasksOf(project)) {
      throw new Forbidden(Forbidden.Reason.TASK_NOT_ALLOWED, "'" + name + "' may work on tasks of the projects "
          + NamePattern.joined(scope.tasks()) + ", but not "
          + (project == null ? "on one of no project" : "of " + InvalidValue.shown(project)), null);
    }
  }

  /**
   * The project whose tasks the caller means: the given one, or else the only one that its token allows, if that is no
   * pattern. Throws if the token does not allow it; null for all projects.
   */
  public @Nullable String projectFor(@Nullable String given) {
    List<NamePattern> allowed = scope.tasks();
    String project = given == null && allowed.size() == 1 && allowed.getFirst().isOneName()
        ? allowed.getFirst().text()
        : given;
    if (project == null && isLimitedToProjects()) {
      throw new Forbidden(Forbidden.Reason.TASK_NOT_ALLOWED, "'" + name + "' may work on tasks of the projects "
          + NamePattern.joined(allowed) + "; name one of them as 'project'", null);
    }
    requireTasksOf(project);
    return project;
  }

  /** The same caller, acting on another's behalf. */
  public Caller onBehalfOf(String actor) {
    if (actor.isBlank() || actor.length() > MAX_LENGTH || !VisibleText.isPlain(actor)) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST,
          "X-Actor must be 1 to " + MAX_LENGTH + " printable characters; leave it out to act on your own behalf");
    }
    return new Caller(name, person, role, scope, actor, credential, door);
  }

  /** The same caller with another credential. */
  public Caller with(Credential newCredential) {
    return new Caller(name, person, role, scope, onBehalfOf, newCredential, door);
  }

  /** The same caller through another door. */
  public Caller through(Door other) {
    return new Caller(name, person, role, scope, onBehalfOf, credential, other);
  }

  /** Equality ignores the credential and the door. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Caller caller && name.equals(caller.name) && role == caller.role
        && scope.equals(caller.scope) && Objects.equals(onBehalfOf, caller.onBehalfOf)
        && principal().equals(caller.principal());
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, role, scope, onBehalfOf);
  }

  /** A caller's proof of identity. It can be revoked or expire during a call. */
  @FunctionalInterface
  public interface Credential {

    /** No token: whoever may use the files of a home needs none. */
    Credential NONE = new Credential() {
      @Override
      public boolean isValid() {
        return true;
      }
    };

    /**
     * Whether it is still valid, with the same role or a higher one. Called often; makes no request to another system.
     */
    boolean isValid();

    /** Whether it was issued for a resource, given by its URL; those of a home are. */
    default boolean isFor(String resource) {
      return true;
    }

    /** When it expires, unless it is revoked before; null for never. */
    default @Nullable Instant expires() {
      return null;
    }
  }
}

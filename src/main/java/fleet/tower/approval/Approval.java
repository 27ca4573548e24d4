package fleet.tower.approval;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The approval of one run. It is no right that could be passed on: it is part of the run, and ends with it.
 *
 * @param planHash the hash of what the run would do, and of what every voter was shown
 * @param requesters who requested the run, and for whom; none of them may vote
 * @param decidedAt when the last vote was given; null while it is open or when nobody decided
 */
public record Approval(ApprovalTerms terms, String planHash, Set<String> requesters, Instant requestedAt,
    List<Vote> votes, State state, @Nullable Instant decidedAt) {
  public Approval {
    requesters = Set.copyOf(requesters);
    votes = List.copyOf(votes);
  }

  /** Where an approval stands. Silence never approves. */
  public enum State {
    OPEN, APPROVED, REJECTED,
    /** Nobody decided in time, or the run did not begin in time. */
    EXPIRED;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The request of an approval. */
  public static Approval requested(ApprovalTerms terms, String planHash, Set<String> requesters, Instant now) {
    return new Approval(terms, planHash, requesters, now, List.of(), State.OPEN, null);
  }

  /** The number of persons who approve it. */
  public int have() {
    return (int) votes.stream().filter(Vote::approves).map(Vote::principal).distinct().count();
  }

  /** When the request ends unless it is decided, or when the run must have begun. */
  public Instant expiresAt() {
    return decidedAt == null ? requestedAt.plus(terms.within()) : decidedAt.plus(terms.valid());
  }

  /** Whether the time is over that the run or its approvers had. */
  public boolean isOver(Instant now) {
    return switch (state) {
      case OPEN, APPROVED -> !now.isBefore(expiresAt());
      case REJECTED, EXPIRED -> true;
    };
  }

  /** Whether a run that does this may begin now. */
  public boolean allows(String hash, Instant now) {
    return state == State.APPROVED && !isOver(now) && planHash.equals(hash) && have() >= terms.need()
        && votes.stream().allMatch(Vote::approves)
        && votes.stream().map(Vote::principal).noneMatch(requesters::contains);
  }

  /** The same with these of its votes alone. */
  public Approval having(List<Vote> some) {
    return new Approval(terms, planHash, requesters, requestedAt, some, state, decidedAt);
  }

  /** The same after nobody decided, or the run did not begin, in time. */
  public Approval expired() {
    return new Approval(terms, planHash, requesters, requestedAt, votes, State.EXPIRED, decidedAt);
  }

  /** What became of a vote. */
  public sealed interface VoteOutcome {}

  /** It counts. */
  public record Counted(Approval now) implements VoteOutcome {}

  /** The voter had said so before, so nothing changed. */
  public record Repeated() implements VoteOutcome {}

  /** The voter requested the run, or it was requested for the voter. */
  public record OwnRequest() implements VoteOutcome {}

  /** The rules do not ask this person. */
  public record NotAsked() implements VoteOutcome {}

  /** The voter was shown something else than what the run would do. */
  public record OtherPlan() implements VoteOutcome {}

  /** It is decided, or the time is over. */
  public record Closed(State state) implements VoteOutcome {}

  /**
   * Counts a vote.
   *
   * @param shown whether the voter was shown what the run would do
   */
  public VoteOutcome with(Vote vote, boolean shown) {
    if (requesters.contains(vote.principal())) {
      return new OwnRequest();
    }
    if (!terms.ask(vote.principal())) {
      return new NotAsked();
    }
    if (!shown) {
      return new OtherPlan();
    }
    if (votes.stream()
        .anyMatch(it -> it.principal().equals(vote.principal()) && it.approves() == vote.approves())) {
      return new Repeated();
    }
    if (state != State.OPEN || isOver(vote.at())) {
      return new Closed(state == State.OPEN ? State.EXPIRED : state);
    }
    List<Vote> all = new ArrayList<>(votes);
    all.removeIf(it -> it.principal().equals(vote.principal()));
    all.add(vote);
    Approval counted = new Approval(terms, planHash, requesters, requestedAt, all, State.OPEN, null);
    boolean isDecided = !vote.approves() || counted.have() >= terms.need();
    return new Counted(isDecided
        ? new Approval(terms, planHash, requesters, requestedAt, all,
            vote.approves() ? State.APPROVED : State.REJECTED, vote.at())
        : counted);
  }
}

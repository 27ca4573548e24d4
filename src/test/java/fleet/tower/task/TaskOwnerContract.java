package fleet.tower.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.task.TaskCommand.Call;
import fleet.tower.task.TaskCommand.Claim;
import fleet.tower.task.TaskCommand.Close;
import fleet.tower.task.TaskCommand.Ending;
import fleet.tower.task.TaskCommand.Heartbeat;
import fleet.tower.task.TaskCommand.Release;
import fleet.tower.task.TaskCommand.Resume;
import fleet.tower.task.TaskCommand.Start;
import fleet.tower.task.TaskOutcome.Contended;
import fleet.tower.task.TaskOutcome.Idle;
import fleet.tower.task.TaskOutcome.KeyReused;
import fleet.tower.task.TaskOutcome.Reason;
import fleet.tower.task.TaskOutcome.Standing;

/** The contract of every task store about the tokens to which claims and requests belong. */
public abstract class TaskOwnerContract extends TaskClaimContract {
  private static final TaskId T = new TaskId("t");

  /** A new request of an agent with a token, or without one. */
  private Call by(Agent agent, @Nullable String token) {
    return new Call(agent, by(agent).requestId(), null, token);
  }

  /** A new request that claims to act on behalf of the owner. */
  private Call onBehalfOfAlice(Agent agent) {
    return new Call(agent, by(agent).requestId(), new Actor("mallory", "alice", Door.HTTP), "mallory");
  }

  private TaskOutcome start(Call call) {
    return store().start(call, new Start(T, MINUTE, ANY));
  }

  private void assertRefused(Call call, long attempt) {
    for (OptionalLong given : List.of(ANY, OptionalLong.of(attempt))) {
      assertThat(store().start(call, new Start(T, MINUTE, given))).isInstanceOf(Contended.class);
      assertThat(reason(store().change(call, new Heartbeat(T, given, MINUTE)))).isEqualTo(Reason.TAKEN);
      assertThat(reason(store().change(call, new Close(T, given, Ending.DONE, null)))).isEqualTo(Reason.TAKEN);
      assertThat(reason(store().change(call, new Close(T, given, Ending.BLOCKED, null)))).isEqualTo(Reason.TAKEN);
      assertThat(reason(store().change(call, new Release(T, given)))).isEqualTo(Reason.TAKEN);
      assertThat(store().resume(call, new Resume(null, MINUTE, given))).isEqualTo(new Idle());
    }
  }

  @Test
  @DisplayName("A claim belongs to its token: another one that names the agent, on whosever behalf, gets and ends nothing")
  void belongsToItsToken() {
    create("t");
    done(start(by(ANN, "alice")));
    Task claimed = task("t");
    assertThat(claim(claimed).token()).isEqualTo("alice");

    assertRefused(by(ANN, "mallory"), 1);
    assertRefused(onBehalfOfAlice(ANN), 1);
    assertRefused(by(new Agent("alice"), "mallory"), 1);

    assertThat(task("t")).isEqualTo(claimed);
    assertThat(kinds("t")).hasSize(2);
    done(store().change(by(ANN, "alice"), new Heartbeat(T, ANY, MINUTE)));
    assertThat(done(start(by(ANN, "alice"))).seen().task().attempt()).isEqualTo(1);
    assertThat(idOf(store().resume(by(ANN, "alice"), new Resume(null, MINUTE, ANY)))).isEqualTo("t");
    done(store().change(by(ANN, "alice"), new Close(T, ANY, Ending.DONE, null)));
  }

  @Test
  @DisplayName("A caller without a token renews and ends every claim of its agent, which stays the token's")
  void withoutToken() {
    create("t");
    done(start(by(ANN, "alice")));

    done(beat(ANN, "t"));
    done(start(ANN, "t"));
    assertThat(claim(task("t")).token()).isEqualTo("alice");
    done(release(ANN, "t"));
  }

  @Test
  @DisplayName("A claim that was made without a token is no token's, also after a claim of that token")
  void ofNoToken() {
    create("t");
    done(start(by(ANN, "alice")));
    done(store().change(by(ANN, "alice"), new Release(T, ANY)));
    done(start(ANN, "t"));

    assertThat(claim(task("t")).token()).isNull();
    assertRefused(by(ANN, "alice"), 2);
    done(complete(ANN, "t"));
  }

  @Test
  @DisplayName("An expired claim may be taken with any token, and then belongs to that one")
  void expired() {
    create("t");
    done(start(by(ANN, "alice")));
    pass(LONGER);

    assertThat(reason(store().change(by(ANN, "alice"), new Heartbeat(T, ANY, MINUTE)))).isEqualTo(Reason.EXPIRED);
    done(start(by(ANN, "mallory")));

    assertThat(claim(task("t")).token()).isEqualTo("mallory");
    assertRefused(by(ANN, "alice"), 2);
  }

  @Test
  @DisplayName("A request is repeated only with its token; another one learns whose it was, and none of its outcome")
  void repeated() {
    create("t");
    Claim claim = new Claim(null, MINUTE, false);
    Call alices = by(ANN, "alice");
    done(store().claim(alices, claim));
    Call mallorys = new Call(ANN, alices.requestId(), new Actor("mallory", "alice", Door.HTTP), "mallory");

    assertThat(store().claim(mallorys, claim))
        .isEqualTo(new KeyReused(alices.requestId(), "claim", claim.arguments(), "alice"));
    assertThat(done(store().claim(alices, claim)).standing()).isEqualTo(Standing.HELD);
    assertThat(done(store().claim(new Call(ANN, alices.requestId(), null), claim)).replayed()).isTrue();
    Call untold = by(ANN);
    done(store().change(untold, new Release(T, ANY)));
    assertThat(store().change(new Call(ANN, untold.requestId(), null, "alice"), new Release(T, ANY)))
        .isInstanceOfSatisfying(KeyReused.class, reused -> assertThat(reused.token()).isNull());
  }
}

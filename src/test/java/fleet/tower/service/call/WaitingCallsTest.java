package fleet.tower.service.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.access.Caller;
import fleet.tower.access.Places;
import fleet.tower.access.Role;
import fleet.tower.lease.RequestId;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.platform.time.Cancellation;

@DisplayName("Waits whose client may leave")
class WaitingCallsTest {
  private static final Caller ANN = Caller.of("ann", Role.AGENT, List.of());
  private static final RequestId BY = new RequestId("r1");

  private final WaitingCalls waits = new WaitingCalls(Places.ofOneCaller(10));
  private final Cancellation client = new Cancellation();

  private String during(RequestId by, Cancellation of, String result) {
    return waits.during("/locks/x", by, ANN, of, _ -> result, it -> "no " + it);
  }

  @Test
  @DisplayName("A client that leaves ends its wait")
  void ends() {
    String ended = waits.during("/locks/x", BY, ANN, client, cancellation -> {
      client.cancel();
      return "cancelled: " + cancellation.isCancelled();
    }, it -> it);
    assertThat(ended).isEqualTo("cancelled: true");
  }

  @Test
  @DisplayName("What a wait obtained is released if its client is gone, and kept if it is not")
  void released() {
    assertThat(during(BY, client, "grant")).isEqualTo("grant");
    client.cancel();
    assertThat(during(BY, client, "grant")).isEqualTo("no grant");
  }

  @Test
  @DisplayName("It is kept for a repeated call of the same request, and not for another request")
  void repeated() {
    client.cancel();
    List<String> results = waits.during("/locks/x", BY, ANN, new Cancellation(),
        _ -> List.of(during(BY, client, "grant"), during(new RequestId("r2"), client, "grant")), it -> it);
    assertThat(results).containsExactly("grant", "no grant");
  }
}

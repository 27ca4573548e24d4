package fleet.tower.mailbox.consumer;

import static java.util.Objects.requireNonNull;

import fleet.tower.mailbox.Body;
import fleet.tower.mailbox.Visibility;

/** What a message has come to in the hands of its worker. */
public sealed interface DeliveryResult {

  /** It is done with. */
  record Done() implements DeliveryResult {}

  /** It is done with, and this is the answer; where nobody waits for one, it is left out. */
  record Answered(Body answer) implements DeliveryResult {
    public Answered {
      requireNonNull(answer);
    }
  }

  /** It has to be tried again, after a while. */
  record Later(Visibility delay, String why) implements DeliveryResult {
    public Later {
      requireNonNull(delay);
      requireNonNull(why);
    }
  }

  /** It is no use to try it again: a dead letter. */
  record Never(String why) implements DeliveryResult {
    public Never {
      requireNonNull(why);
    }
  }
}

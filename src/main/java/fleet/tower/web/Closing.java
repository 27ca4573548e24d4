package fleet.tower.web;

import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

import fleet.tower.waiting.Cancellation;

/** Tells those who stream or wait without end that the service is about to stop; it would wait for them otherwise. */
final class Closing implements ApplicationListener<ContextClosedEvent> {
  private final Cancellation waits = new Cancellation();

  @Override
  public void onApplicationEvent(ContextClosedEvent event) {
    waits.cancel();
  }

  boolean hasBegun() {
    return waits.isCancelled();
  }

  /** Ends the waits that know of it when the service is about to stop. */
  Cancellation waits() {
    return waits;
  }
}

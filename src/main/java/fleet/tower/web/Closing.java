package fleet.tower.web;

import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

/** Tells those who stream without end that the service is about to stop; it would wait for them otherwise. */
final class Closing implements ApplicationListener<ContextClosedEvent> {
  private volatile boolean begun;

  @Override
  public void onApplicationEvent(ContextClosedEvent event) {
    begun = true;
  }

  boolean hasBegun() {
    return begun;
  }
}

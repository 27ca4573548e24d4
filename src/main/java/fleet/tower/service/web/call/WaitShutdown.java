package fleet.tower.service.web.call;

import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

import fleet.tower.operation.WaitingCalls;

/** Ends all waiting calls when the service begins to stop. */
final class WaitShutdown implements ApplicationListener<ContextClosedEvent> {
  private final WaitingCalls waits;

  WaitShutdown(WaitingCalls waits) {
    this.waits = waits;
  }

  @Override
  public void onApplicationEvent(ContextClosedEvent event) {
    waits.endAll();
  }
}

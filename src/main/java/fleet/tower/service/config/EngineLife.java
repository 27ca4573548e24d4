package fleet.tower.service.config;

import java.time.Duration;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;

import fleet.tower.home.Home;
import fleet.tower.home.HomeRuns.QueueHandle;
import fleet.tower.home.RetentionSchedule;
import fleet.tower.home.RunEngine;
import fleet.tower.intent.Controls;
import fleet.tower.operation.Ask;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.text.Console;
import fleet.tower.run.Run;

/**
 * The lifecycle of the run engine within the service. It starts when the service accepts calls. It stops before the web
 * server does, so that calls that wait for a run still get its result, and new requests a clear refusal.
 */
final class EngineLife implements DisposableBean {
  /** Time for the workers to record the last runs. */
  private static final Duration TO_SAY_GOODBYE = Duration.ofSeconds(5);
  private static final Duration BETWEEN_RELEASES = Duration.ofSeconds(1);

  private final Home home;
  private final RunEngine engine;
  private final QueueHandle queue;
  private final RetentionSchedule sweeper;
  private final Console console;
  private final Duration grace;
  private boolean isEnding;

  EngineLife(Home home, RunEngine engine, QueueHandle queue, RetentionSchedule sweeper, Console console,
      TowerProperties properties) {
    this.home = home;
    this.engine = engine;
    this.queue = queue;
    this.sweeper = sweeper;
    this.console = console;
    this.grace = properties.shutdown().grace().value();
  }

  @EventListener
  void begin(ApplicationReadyEvent ready) {
    engine.runs().recover().forEach(run -> console.words("tower: warning: " + lost(run)));
    releaseInterrupted();
    home.watchAudit();
    engine.output().start();
    engine.schedules().start();
    queue.consumers().start();
    sweeper.start();
  }

  /** The processes of interrupted steps may need a moment to end. */
  private synchronized void releaseInterrupted() {
    if (isEnding) {
      return;
    }
    try {
      if (engine.runs().releaseInterrupted().postponed() > 0) {
        var _ = home.scheduler().after(BETWEEN_RELEASES, this::releaseInterrupted);
      }
    } catch (StorageException e) {
      if (e.isReported()) {
        var _ = home.scheduler().after(BETWEEN_RELEASES, this::releaseInterrupted);
        return;
      }
      console.words("tower: warning: the locks of interrupted runs could not be released: " + e.getMessage());
    }
  }

  private String lost(Run run) {
    boolean isReleased = engine.catalogue().find(run.intent())
        .filter(intent -> intent.controls().onInterrupted() == Controls.OnInterrupted.RELEASE).isPresent();
    String lock = run.lock() == null
        ? ""
        : "; its lock " + run.lock().name()
            + (isReleased ? " is released once its steps have ended" : " goes stale by itself");
    return "run " + run.requestId() + " of " + run.intent()
        + " was interrupted when its executor died; nothing was rolled back" + lock + "; GET "
        + new Ask(RunOperations.VIEW, RunOperations.of(run.requestId())).path() + " shows how far it got";
  }

  /** First of all listeners, because runs may still need what the others stop. */
  @EventListener
  @Order(0)
  void end(ContextClosedEvent closed) {
    synchronized (this) {
      isEnding = true;
    }
    engine.schedules().stop();
    sweeper.stop();
    engine.output().stop();
    queue.consumers().dismiss();
    engine.runs().close(grace);
  }

  /** Called when no call is answered any more, or the start failed. */
  @Override
  public void destroy() {
    engine.close(Duration.ZERO);
    queue.close(TO_SAY_GOODBYE);
  }
}

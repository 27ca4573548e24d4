package fleet.tower.service.web.call;

import java.time.Duration;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;

import fleet.tower.access.Access;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.platform.time.Scheduler;

/**
 * Reloads the tokens twice a second, with or without calls. So the last valid version is never older than that if the
 * file becomes invalid, and a revocation ends the caller's waits and streams.
 */
final class CredentialWatch implements InitializingBean, DisposableBean {
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);

  private final Access access;
  private final WaitingCalls endings;
  private final Scheduler scheduler;
  private volatile boolean stopped;

  CredentialWatch(Access access, WaitingCalls endings, Scheduler scheduler) {
    this.access = access;
    this.endings = endings;
    this.scheduler = scheduler;
  }

  @Override
  public void afterPropertiesSet() {
    scheduler.after(BETWEEN_LOOKS, this::look);
  }

  private void look() {
    try {
      access.refresh();
      endings.endRevoked();
    } finally {
      if (!stopped) {
        scheduler.after(BETWEEN_LOOKS, this::look);
      }
    }
  }

  @Override
  public void destroy() {
    stopped = true;
  }
}

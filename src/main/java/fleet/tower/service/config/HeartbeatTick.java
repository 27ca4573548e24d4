package fleet.tower.service.config;

import java.util.concurrent.TimeUnit;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import fleet.tower.home.RunEngine;

/**
 * The tick of the service's heartbeats: starts the renewal of every lock that is due at
 * {@code min(ttl/3, max-interval)}. Each lock has its own period; the annotation sets the period of the tick, which
 * bounds how late a renewal may start.
 */
@Configuration(proxyBeanMethods = false)
@EnableScheduling
class HeartbeatTick {
  /** A fraction of the shortest interval, which is 333 ms. */
  private static final long MILLIS = 100;

  private final RunEngine engine;

  HeartbeatTick(RunEngine engine) {
    this.engine = engine;
  }

  /** Hands renewals to other threads: a hanging store must not delay the next tick. */
  @Scheduled(fixedDelay = MILLIS, timeUnit = TimeUnit.MILLISECONDS)
  void renewDue() {
    engine.heartbeats().renewDue();
  }

  /** A dedicated thread, which runs until the last run has ended, after the service began to stop. */
  @Bean
  static TaskScheduler taskScheduler() {
    ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
    scheduler.setThreadNamePrefix("tower-heartbeats-");
    scheduler.setDaemon(true);
    scheduler.setAcceptTasksAfterContextClose(true);
    return scheduler;
  }
}

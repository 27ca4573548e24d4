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
 * The tick of the service's heartbeats: begins the renewal of every lock that is due at {@code min(ttl/3, max-interval)}. Each lock
 * has a period of its own, so the annotation has that of the tick: how late a renewal may come.
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

  /** Renews nothing itself: a store that hangs must not keep the next tick from coming. */
  @Scheduled(fixedDelay = MILLIS, timeUnit = TimeUnit.MILLISECONDS)
  void renewDue() {
    engine.heartbeats().renewDue();
  }

  /** One thread for the tick alone; it goes on until the last run is over, which is after the service has begun to stop. */
  @Bean
  static TaskScheduler taskScheduler() {
    ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
    scheduler.setThreadNamePrefix("tower-heartbeats-");
    scheduler.setDaemon(true);
    scheduler.setAcceptTasksAfterContextClose(true);
    return scheduler;
  }
}

package fleet.tower.service.web;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import fleet.tower.home.Home;
import fleet.tower.intent.Catalogue;
import fleet.tower.lock.Locks;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.Tracing;
import fleet.tower.run.members.Hosts;
import fleet.tower.run.submit.Runs;
import fleet.tower.service.call.overview.OverviewCalls;
import fleet.tower.service.call.overview.OverviewFeed;
import fleet.tower.service.call.overview.OverviewSignals;
import fleet.tower.service.call.overview.OverviewStores;
import fleet.tower.task.Tasks;

/** Configures the overview; the home reports its events to the signals, so they exist before it. */
@Configuration(proxyBeanMethods = false)
@Import({OverviewCalls.class, OverviewStream.class})
class OverviewConfiguration {

  @Bean
  static OverviewSignals overviewSignals() {
    return new OverviewSignals();
  }

  @Bean
  static Home.Listener overviewListener(OverviewSignals signals) {
    return new Home.Listener(signals, Locks.Listener.NONE, signals, Tracing.NONE);
  }

  @Bean
  OverviewFeed overviewFeed(Home home, Runs runs, Locks locks, Hosts hosts, Tasks tasks, Mailboxes mailboxes,
      Catalogue catalogue, OverviewSignals signals, TimeSource time, Scheduler scheduler) {
    return new OverviewFeed(new OverviewStores(runs, locks, home.halts(), hosts, tasks, mailboxes, catalogue), signals,
        time,
        scheduler);
  }
}

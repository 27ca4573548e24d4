package fleet.tower.service.web;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.ServerResponse;

import fleet.tower.answer.LockEstimates;
import fleet.tower.audit.AuditTrail;
import fleet.tower.home.Home;
import fleet.tower.home.RunEngine;
import fleet.tower.lease.keepalive.RenewalLag;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.operation.HomeHandlers;
import fleet.tower.operation.LockHandlers;
import fleet.tower.operation.MailboxHandlers;
import fleet.tower.operation.Operations;
import fleet.tower.operation.RunHandlers;
import fleet.tower.operation.TaskHandlers;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.run.members.Hosts;
import fleet.tower.run.submit.QueuedRuns;
import fleet.tower.service.web.access.AccessConfiguration;
import fleet.tower.service.web.call.CallConfiguration;
import fleet.tower.service.web.connection.ConnectionDoor;
import fleet.tower.service.web.http.HttpFrame;
import fleet.tower.service.web.http.RoutedOperation;
import fleet.tower.service.web.overview.OverviewConfiguration;
import fleet.tower.service.web.task.TaskStream;
import fleet.tower.task.Tasks;

/** Configures the HTTP interface; needs the use cases, the clocks and the {@link Host} as beans. */
@Configuration(proxyBeanMethods = false)
@Import({AccessConfiguration.class, ConnectionDoor.class, HttpFrame.class, CallConfiguration.class,
    AuditController.class, RunEvents.class, RunOutputController.class, LockEstimates.class, TaskStream.class,
    OverviewConfiguration.class})
public class WebConfiguration {

  @Bean
  Operations operations(Home home, LockHandlers.Host host, Scheduler scheduler, WaitingCalls waits, RenewalLag lag,
      RunEngine engine, QueuedRuns queued, Hosts hosts, AuditTrail trail, Mailboxes mailboxes, Tasks tasks) {
    return new Operations(
        new LockHandlers(home.locks(), home.freezes(), host, scheduler, waits, () -> lag).all())
        .and(new RunHandlers(RunHandlers.Source.of(engine, queued), scheduler, home.time(), waits).all())
        .and(new HomeHandlers(hosts::list, () -> trail).all())
        .and(new MailboxHandlers(() -> mailboxes, waits).all())
        .and(new TaskHandlers(() -> tasks, engine::catalogue).all());
  }

  @Bean
  RouterFunction<ServerResponse> calls(Operations operations, LockEstimates estimates) {
    return RoutedOperation.routes(operations, estimates);
  }
}

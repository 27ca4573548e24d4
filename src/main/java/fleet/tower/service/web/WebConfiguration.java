package fleet.tower.service.web;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.ServerResponse;

import fleet.tower.answer.LockEstimates;
import fleet.tower.home.Home;
import fleet.tower.home.RunEngine;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.operation.Operations;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.run.submit.QueuedRuns;
import fleet.tower.service.call.overview.OverviewCalls;
import fleet.tower.service.web.access.AccessConfiguration;
import fleet.tower.service.web.call.CallConfiguration;
import fleet.tower.service.web.connection.ConnectionDoor;
import fleet.tower.service.web.http.HttpFrame;
import fleet.tower.service.web.http.RoutedOperation;
import fleet.tower.task.Tasks;

/** Configures the HTTP interface; needs the use cases, the clocks and the {@link Host} as beans. */
@Configuration(proxyBeanMethods = false)
@Import({AccessConfiguration.class, ConnectionDoor.class, HttpFrame.class, CallConfiguration.class,
    AuditController.class, RunEvents.class, RunOutputController.class, LockEstimates.class, TaskStream.class,
    OverviewConfiguration.class})
public class WebConfiguration {

  @Bean
  Operations operations(Home home, RunEngine engine, QueuedRuns queued, Tasks tasks, Mailboxes mailboxes,
      WaitingCalls waits, OverviewCalls overview) {
    return Operations.of(home, engine, queued, tasks, mailboxes, waits).and(overview.handlers());
  }

  @Bean
  RouterFunction<ServerResponse> calls(Operations operations, LockEstimates estimates) {
    return RoutedOperation.routes(operations, estimates);
  }
}

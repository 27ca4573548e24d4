package fleet.tower.service.web;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import fleet.tower.answer.LockEstimates;
import fleet.tower.service.call.lock.Host;
import fleet.tower.service.call.lock.LockCalls;
import fleet.tower.service.call.run.RunCalls;
import fleet.tower.service.call.run.RunOutputCalls;
import fleet.tower.service.call.run.RunReplies;
import fleet.tower.service.web.access.AccessConfiguration;
import fleet.tower.service.web.call.CallConfiguration;
import fleet.tower.service.web.connection.ConnectionDoor;
import fleet.tower.service.web.freeze.FreezeConfiguration;
import fleet.tower.service.web.host.HostConfiguration;
import fleet.tower.service.web.http.HttpFrame;
import fleet.tower.service.web.mailbox.MailboxConfiguration;
import fleet.tower.service.web.overview.OverviewConfiguration;
import fleet.tower.service.web.task.TaskConfiguration;

/** Configures the HTTP interface; needs the use cases, the clocks and the {@link Host} as beans. */
@Configuration(proxyBeanMethods = false)
@Import({AccessConfiguration.class, ConnectionDoor.class, HttpFrame.class, CallConfiguration.class,
    LockController.class,
    AuditController.class,
    IntentController.class,
    RunController.class, RunEvents.class, RunOutputController.class,
    LockCalls.class, LockEstimates.class, RunCalls.class, RunReplies.class, RunOutputCalls.class,
    FreezeConfiguration.class, HostConfiguration.class, TaskConfiguration.class, MailboxConfiguration.class,
    OverviewConfiguration.class})
public class WebConfiguration {}

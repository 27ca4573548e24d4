package fleet.tower.web;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import fleet.tower.web.access.AccessDoor;
import fleet.tower.web.call.CallDoor;
import fleet.tower.web.connection.ConnectionDoor;
import fleet.tower.web.freeze.FreezeDoor;
import fleet.tower.web.host.HostDoor;
import fleet.tower.web.http.HttpFrame;
import fleet.tower.web.mailbox.MailboxDoor;
import fleet.tower.web.task.TaskDoor;

/** The whole HTTP door; it needs the use cases, the clocks and the {@link Host} as beans. */
@Configuration(proxyBeanMethods = false)
@Import({AccessDoor.class, ConnectionDoor.class, HttpFrame.class, CallDoor.class, LockController.class,
    AuditController.class,
    IntentController.class,
    RunController.class, RunReplies.class, RunEvents.class,
    FreezeDoor.class, HostDoor.class, TaskDoor.class, MailboxDoor.class})
public class WebDoor {}

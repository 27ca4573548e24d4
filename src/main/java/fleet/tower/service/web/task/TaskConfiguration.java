package fleet.tower.service.web.task;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import fleet.tower.service.call.task.TaskCalls;

/** Configures the calls about tasks. */
@Configuration(proxyBeanMethods = false)
@Import({TaskCalls.class, TaskController.class, TaskLookController.class, TaskStream.class})
public class TaskConfiguration {}

package fleet.tower.service.web.task;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Configures the calls about tasks. */
@Configuration(proxyBeanMethods = false)
@Import({TaskController.class, TaskLookController.class, TaskStream.class})
public class TaskConfiguration {}

package fleet.tower.service.config.api;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The calls that tell which calls there are. */
@Configuration(proxyBeanMethods = false)
@Import(ApiController.class)
public class ApiConfiguration {}

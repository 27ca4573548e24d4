package fleet.tower.service.config.api;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Configures the calls that describe the API. */
@Configuration(proxyBeanMethods = false)
@Import(ApiController.class)
public class ApiConfiguration {}

package fleet.tower.service.web.host;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Configures the calls about hosts. */
@Configuration(proxyBeanMethods = false)
@Import(HostController.class)
public class HostConfiguration {}

package fleet.tower.service.web.freeze;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Configures the calls about freezes. */
@Configuration(proxyBeanMethods = false)
@Import(FreezeController.class)
public class FreezeConfiguration {}

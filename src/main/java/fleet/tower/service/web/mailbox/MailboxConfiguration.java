package fleet.tower.service.web.mailbox;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Configures the calls about mailboxes. */
@Configuration(proxyBeanMethods = false)
@Import({MailboxController.class, ReceiptController.class})
public class MailboxConfiguration {}

package fleet.tower.service.web.mailbox;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import fleet.tower.service.call.mailbox.MailboxCalls;
import fleet.tower.service.call.mailbox.ReceiptCalls;

/** Configures the calls about mailboxes. */
@Configuration(proxyBeanMethods = false)
@Import({MailboxCalls.class, ReceiptCalls.class, MailboxController.class, ReceiptController.class})
public class MailboxConfiguration {}

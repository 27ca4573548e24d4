package fleet.tower.mailbox.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.MailboxWork;
import fleet.tower.mailbox.Message;
import fleet.tower.platform.time.ManualTime;

@DisplayName("Mailboxes in SQLite use the boot clock")
class SqliteMailboxTimeTest {
  private final ManualTime time = new ManualTime();
  private final SqlTestMailboxes place;
  private final MailboxWork work;

  SqliteMailboxTimeTest(@TempDir Path home) {
    place = new SqlTestMailboxes("jdbc:sqlite:" + home.resolve("tower.db"), time);
    work = new MailboxWork(place.open());
  }

  @AfterEach
  void close() {
    place.close();
  }

  @Test
  @DisplayName("WI-21 setting the wall clock forward ends no lease and no delay, and setting it back prolongs none")
  void steps() {
    work.send("a");
    Message.Delivery a = work.one(60);
    place.stepWallClock(Duration.ofHours(5));
    assertThat(work.count()).isEqualTo("0 1 0 0");
    assertThat(work.texts(1)).isEmpty();
    assertThat(work.extend(a, 30)).isInstanceOf(MailboxOutcome.Extended.class);
    assertThat(work.nack(a, 60)).isInstanceOf(MailboxOutcome.Returned.class);
    place.stepWallClock(Duration.ofHours(5));
    assertThat(work.texts(1)).isEmpty();

    place.stepWallClock(Duration.ofHours(-50));
    time.advance(Duration.ofSeconds(61));

    assertThat(work.store().untilVisible(MailboxWork.BOX)).contains(Duration.ZERO);
    assertThat(work.one(60).count()).isEqualTo(2);
  }

  @Test
  @DisplayName("A lease ends in its last millisecond, for its worker and for the next one")
  void lastMillisecond() {
    work.send("a");
    Message.Delivery a = work.one(60);
    time.advance(Duration.ofMillis(59_999));
    assertThat(work.store().untilVisible(MailboxWork.BOX)).contains(Duration.ofMillis(1));
    assertThat(work.texts(1)).isEmpty();
    time.advance(Duration.ofMillis(1));

    assertThat(work.ack(a)).isEqualTo(new MailboxOutcome.OldReceipt(a.receipt(), MailboxOutcome.Reason.EXPIRED));
    assertThat(work.nack(a, 0)).isEqualTo(new MailboxOutcome.OldReceipt(a.receipt(), MailboxOutcome.Reason.EXPIRED));
    assertThat(work.store().untilVisible(MailboxWork.BOX)).contains(Duration.ZERO);
    assertThat(work.one(60).count()).isEqualTo(2);
  }

  @Test
  @DisplayName("A lease survives a reboot, by the wall clock; so does its receipt, and an extension uses the new clock")
  void reboot() {
    work.send("a");
    Message.Delivery a = work.one(3600);
    time.reboot("boot-2");
    assertThat(work.texts(1)).isEmpty();
    assertThat(work.extend(a, 7200)).isInstanceOf(MailboxOutcome.Extended.class);
    place.stepWallClock(Duration.ofHours(9));
    assertThat(work.texts(1)).isEmpty();
    time.reboot("boot-3");

    assertThat(work.store().untilVisible(MailboxWork.BOX)).contains(Duration.ZERO);
    assertThat(work.count()).isEqualTo("1 0 0 0");
    assertThat(work.one(60).count()).isEqualTo(2);
  }

  @Test
  @DisplayName("Without a boot clock the database's own clock decides")
  void withoutBootClock() {
    time.hideBootClock();
    work.send("a");
    Message.Delivery a = work.one(60);
    place.pass(Duration.ofSeconds(50));
    assertThat(work.extend(a, 30)).isInstanceOf(MailboxOutcome.Extended.class);
    assertThat(work.texts(1)).isEmpty();
    place.pass(Duration.ofSeconds(31));
    assertThat(work.one(60).count()).isEqualTo(2);
  }
}

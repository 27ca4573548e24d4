package fleet.tower.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

class HangTest {
  private static final CompletableFuture<Void> NEVER = new CompletableFuture<>();

  /** Run only by the test below. */
  static class Hangs {
    @Test
    void hangs() {
      NEVER.join();
    }
  }

  @Test
  @DisplayName("A test blocked in code that ignores interrupts fails at its limit, and prints the stacks of all "
      + "threads")
  void endsWithThreadDump() {
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      LauncherFactory.create().execute(LauncherDiscoveryRequestBuilder.request().selectors(selectClass(Hangs.class))
          .configurationParameter("junit.jupiter.execution.timeout.default", "1 s").build(), listener);
    } finally {
      System.setOut(before);
      NEVER.complete(null);
    }

    assertThat(listener.getSummary().getFailures()).singleElement()
        .satisfies(failure -> assertThat(failure.getException()).hasMessageContaining("timed out after 1 second"));
    assertThat(printed.toString(StandardCharsets.UTF_8)).contains("will be interrupted",
        "HangTest$Hangs.hangs(HangTest");
  }
}

package fleet.tower.documents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.documents.Page.Session;

@DisplayName("The sidecar of a page matches the sessions of the page")
class SidecarTest {
  private static final List<Session> SESSIONS = Page.sessions("""
      # Locks
      ```console
      $ tower lock a
      $ tower lock a            # exit code 2
      tower: lock a is held
      ```
      ```yaml
      # no heading
      ```
      ```console
      $ tower locks
      ```
      ## Ends
      ```console
      $ tower unlock a
      ```
      """.lines().toList());

  private static List<Session> applied(String notes) {
    return Sidecar.parse(Path.of("page.yaml"), notes).applyTo(SESSIONS);
  }

  @Test
  @DisplayName("Every sidecar belongs to a page, and each of its notes to a session and a command of that page")
  void everyNoteMatches() throws IOException {
    try (Stream<Path> files = Files.walk(Sidecar.DIRECTORY)) {
      for (Path sidecar : files.filter(Files::isRegularFile).toList()) {
        Path page = Page.BASE.resolve(Sidecar.DIRECTORY.relativize(sidecar).toString().replace(".yaml", ".md"));
        assertThat(page).exists();
        assertThat(Page.read(page).sessions()).isNotEmpty();
      }
    }
  }

  @Test
  @DisplayName("No page carries notes for the tests in its own text")
  void pagesAreClean() throws IOException {
    for (Path page : Page.files()) {
      assertThat(Files.readString(page)).as(page.toString())
          .doesNotContainPattern("(?m)^<!-- (home|\\d+: (before|stop))");
    }
  }

  @Test
  @DisplayName("A note names a session by heading and number, and a command by its text and occurrence")
  void notesAreApplied() {
    List<Session> applied = applied("""
        - { heading: Locks, command: tower lock a, occurrence: 2, before: "true" }
        - { heading: Locks, session: 2, command: tower locks, stop: true }
        - { heading: Ends, fresh_home: true }
        """);

    assertThat(applied).hasSize(3);
    assertThat(applied.get(0).commands().get(0).before()).isEmpty();
    assertThat(applied.get(0).commands().get(1).before()).containsExactly("true");
    assertThat(applied.get(0).commands().get(1).exit()).isEqualTo(2);
    assertThat(applied.get(1).commands().get(0).stopped()).isTrue();
    assertThat(applied.stream().map(Session::freshHome)).containsExactly(false, false, true);
  }

  @Test
  @DisplayName("A note about a heading, session, command, occurrence or key that does not exist is an error")
  void strayNotesAreErrors() {
    assertThatThrownBy(() -> applied("[{ heading: Gone, fresh_home: true }]"))
        .hasMessageContaining("page.yaml: the page has no session 1 below 'Gone'; it has [Locks 1, Locks 2, Ends 1]");
    assertThatThrownBy(() -> applied("[{ heading: Locks, session: 3, fresh_home: true }]"))
        .hasMessageContaining("no session 3 below 'Locks'");
    assertThatThrownBy(() -> applied("[{ heading: Ends, command: tower lock, stop: true }]"))
        .hasMessageContaining("no command 1 'tower lock' of session 1 below 'Ends'; the session has [tower unlock a]");
    assertThatThrownBy(() -> applied("[{ heading: Locks, command: tower lock a, occurrence: 3, stop: true }]"))
        .hasMessageContaining("no command 3 'tower lock a'");
    assertThatThrownBy(() -> applied("[{ heading: Ends, stop: true }]")).hasMessageContaining("need a command");
    assertThatThrownBy(() -> applied("[{ heading: Ends, befor: x }]")).hasMessageContaining("unknown key 'befor'");
  }
}

package fleet.tower.cli.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.Pty;

/** Tests {@code tower guard} in a shell with job control, on its own terminal. */
@DisplayName("tower guard on a terminal")
class GuardTerminalTest {
  private static final String CTRL_C = "\u0003";
  private static final String CTRL_D = "\u0004";
  private static final String CTRL_Z = "\u001a";
  private static final String CTRL_BACKSLASH = "\u001c";

  private final Installation tower;

  GuardTerminalTest(@TempDir Path directory) {
    tower = new Installation(directory.resolve("release"));
  }

  private Pty shell() throws IOException {
    Map<String, String> environment = new HashMap<>(Map.of("PATH", System.getenv("PATH"), "PS1", "ready> ", "TERM",
        "dumb", "HOME", tower.root().toString(), "JAVA_HOME", System.getProperty("java.home")));
    environment.putAll(Map.of("TOWER_HOME", tower.home().toString(), "TOWER_LOCK_INSECURE_DIRECTORY", "true",
        "TOWER_AOT", tower.variable("TOWER_AOT"), "G", tower.launcher() + " guard prod --"));
    Pty pty = new Pty(List.of("bash", "--norc", "--noprofile", "--noediting", "-i"), environment);
    pty.await("ready> ", 0);
    return pty;
  }

  /** Types a line and waits for its output; returns the position after it. */
  private static int line(Pty pty, String line, String shown) {
    int from = pty.screen().length();
    pty.type(line);
    pty.await(shown, from);
    return pty.screen().length();
  }

  @Test
  @DisplayName("Ctrl-C and Ctrl-\\ reach the command once, and then the terminal belongs to the shell again")
  void interrupt() throws Exception {
    try (Pty pty = shell()) {
      line(pty, "$G bash -c 'trap \"echo got INT\" INT; trap \"echo got QUIT; exit 7\" QUIT; echo beg\"\"un; "
          + "while :; do sleep 0.05; done'; echo code=$?\n", "begun");
      line(pty, CTRL_C, "got INT");
      line(pty, CTRL_BACKSLASH, "code=7");

      assertThat(pty.screen().split("got INT", -1)).hasSize(3);
      line(pty, "echo $((40 + 2))\n", "42");
      line(pty, tower.launcher() + " check prod\n", "free");
    }
  }

  @Test
  @DisplayName("Ctrl-Z stops command and guard as one job; fg returns the terminal to the command, bg resumes it "
      + "without")
  @ProofsProfile
  void jobControl() throws Exception {
    try (Pty pty = shell()) {
      line(pty, "$G cat; echo code=$?\n", "");
      line(pty, "one\n", "one\r\none\r\n");
      line(pty, CTRL_Z, "Stopped");
      line(pty, "jobs\n", "Stopped");
      line(pty, "fg\n", "$G cat");
      line(pty, "two\n", "two\r\ntwo\r\n");
      int before = pty.screen().length();
      pty.type(CTRL_D);
      pty.await("ready> ", before);
      line(pty, "echo left=$(jobs | wc -l)\n", "left=0");

      // The script starts no process while it waits: a dash that is stopped during vfork waits for a child that is
      // stopped too.
      line(pty, "mkfifo $TOWER_HOME/go; $G sh -c 'echo beg\"\"un; read go <\"$TOWER_HOME/go\"; echo do\"\"ne'\n",
          "begun");
      line(pty, CTRL_Z, "Stopped");
      before = pty.screen().length();
      pty.type("bg; echo >$TOWER_HOME/go\n");
      pty.await("done", before);
      line(pty, "wait; " + tower.launcher() + " check prod\n", "free");
    }
  }

  @Test
  @DisplayName("A command that takes over the terminal is in the foreground, reads keys, and sees its size")
  void fullScreen() throws Exception {
    try (Pty pty = shell()) {
      line(pty, "stty rows 33 cols 77; $G sh -c 'stty size; old=$(stty -g); stty raw -echo; echo pre\"\"ss; "
          + "key=$(dd bs=1 count=1 2>/dev/null); stty $old; echo \"<$key>\"'; echo code=$?\n", "33 77");
      pty.await("press", 0);
      line(pty, CTRL_C, "<" + CTRL_C + ">");
      pty.await("code=0", 0);
    }
  }

  @Test
  @DisplayName("In the background it works, and a command that reads the terminal stops as a job")
  void background() throws Exception {
    try (Pty pty = shell()) {
      line(pty, "$G sh -c 'read line; echo \"<$line>\"' &\n", "ready> ");
      line(pty, "while [ -z \"$(jobs -s)\" ]; do sleep 0.1; done; jobs\n", "Stopped");
      line(pty, "fg\n", "read line");
      line(pty, "hello\n", "<hello>");
      line(pty, tower.launcher() + " check prod\n", "free");
    }
  }

  @Test
  @DisplayName("Without a shell that could resume it, Ctrl-Z does not stop it")
  void withoutShell() throws Exception {
    Map<String, String> environment = Map.of("PATH", System.getenv("PATH"), "JAVA_HOME",
        System.getProperty("java.home"),
        "TOWER_HOME", tower.home().toString(), "TOWER_LOCK_INSECURE_DIRECTORY", "true", "TOWER_AOT",
        tower.variable("TOWER_AOT"));
    try (Pty pty = new Pty(List.of(tower.launcher().toString(), "guard", "prod", "--", "cat"), environment)) {
      line(pty, "one\n", "one\r\none\r\n");
      pty.type(CTRL_Z);
      line(pty, "two\n", "two\r\ntwo\r\n");
      pty.type(CTRL_D);

      assertThat(Await.exitOf(pty.process())).isZero();
    }
  }
}

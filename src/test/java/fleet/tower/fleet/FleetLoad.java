package fleet.tower.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;

import fleet.tower.hammer.ServiceClient;
import fleet.tower.harness.Await;
import fleet.tower.harness.TestFiles;
import fleet.tower.lock.Competitor;
import fleet.tower.lock.HammerHistory;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.service.config.TestService;

/**
 * Clients of a fleet that compete for locks, queue runs under locks, and send and receive messages; and the judgement
 * of what they have seen.
 */
final class FleetLoad {
  private static final int LOCK_CLIENTS = 6;
  private static final int RUN_LOCKS = 3;
  private static final Duration BETWEEN_RUNS = Duration.ofMillis(60);
  private static final Duration BETWEEN_MESSAGES = Duration.ofMillis(30);
  private static final Duration UNTIL_THE_END = Duration.ofMinutes(4);
  private static final Pattern END = Pattern
      .compile("\"status\":\"(succeeded|failed|cancelled|interrupted|lock_lost|timed_out)\"");
  private static final Pattern REFUSAL = Pattern.compile("\"refusal\":\\{\"error\":\"(\\w+)\"");
  private static final Pattern RECEIPT = Pattern.compile("\\{\"id\":\"([^\"]+)\".*?\"receipt_handle\":\"([^\"]+)\"");

  private final Scheduler scheduler = SystemTime.scheduler();
  private final ServiceFleet fleet;
  private final Path witness;
  private final Path histories;
  private final List<ServiceClient> locks = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final Queue<String> runs = new ConcurrentLinkedQueue<>();
  private final Queue<String> refused = new ConcurrentLinkedQueue<>();
  private final Queue<String> sent = new ConcurrentLinkedQueue<>();
  private final Set<String> received = ConcurrentHashMap.newKeySet();
  private volatile boolean isOver;

  FleetLoad(ServiceFleet fleet, Path directory) {
    this.fleet = fleet;
    this.witness = witness(directory);
    this.histories = TestFiles.directory(directory.resolve("histories"));
  }

  private static Path witness(Path directory) {
    return directory.resolve("witness");
  }

  /** Declares the intent of the runs, whose step appends a line to one file of all hosts when it begins and ends. */
  static void declare(Path home, Path directory) {
    TestService.declare(home, "hold", """
        mode: reconcile
        params:
          lock: { type: string, required: true }
        controls: { lock: "${params.lock}", on_stale: take, on_interrupted: release }
        timeouts: { lock_ttl: 20 }
        steps:
          - name: hold
            script: |
              echo "$PARAM_LOCK $TOWER_LOCK_TOKEN $TOWER_REQUEST_ID enter" >>WITNESS
              sleep 0.05
              echo "$PARAM_LOCK $TOWER_LOCK_TOKEN $TOWER_REQUEST_ID exit" >>WITNESS
        """.replace("WITNESS", witness(directory).toString()));
  }

  void begin() {
    for (int i = 0; i < LOCK_CLIENTS; i++) {
      ServiceClient client = new ServiceClient("client" + i, fleet::url, fleet.token(), histories);
      locks.add(client);
      threads.add(Thread.ofPlatform().daemon().start(client));
    }
    for (int i = 0; i < 2; i++) {
      int number = i;
      threads.add(Thread.ofPlatform().daemon().start(() -> queueRuns(number)));
      threads.add(Thread.ofPlatform().daemon().start(() -> send(number)));
      threads.add(Thread.ofPlatform().daemon().start(() -> {
        while (!isOver) {
          receive();
        }
      }));
    }
  }

  private void queueRuns(int number) {
    for (int i = 0; !isOver; i++) {
      String id = "run-" + number + "-" + i;
      HttpResponse<String> answer = fleet.call("POST", "/intents/hold", "{\"params\":{\"lock\":\"run-lock-"
          + i % RUN_LOCKS + "\"},\"request_id\":\"" + id + "\",\"queue\":true,\"wait_seconds\":120}");
      if (answer.statusCode() < 300) {
        runs.add(id);
      } else {
        refused.add(answer.body());
      }
      scheduler.pause(BETWEEN_RUNS);
    }
  }

  private void send(int number) {
    for (int i = 0; !isOver; i++) {
      String id = "message-" + number + "-" + i;
      HttpResponse<String> answer = fleet.call("POST", "/mailboxes/hammer/messages",
          "{\"id\":\"" + id + "\",\"body\":" + i + "}");
      if (answer.statusCode() < 300) {
        sent.add(id);
      } else {
        refused.add(answer.body());
      }
      scheduler.pause(BETWEEN_MESSAGES);
    }
  }

  /** Takes some messages, and acknowledges each after it is kept; a receipt that is too late is worth nothing. */
  private int receive() {
    HttpResponse<String> answer = fleet.call("POST", "/mailboxes/hammer/receive",
        "{\"max_messages\":10,\"visibility_timeout\":5,\"wait_time_seconds\":1}");
    if (answer.statusCode() != 200) {
      refused.add(answer.body());
    }
    String messages = answer.body();
    List<String[]> taken = RECEIPT.matcher(messages).results().map(it -> new String[]{it.group(1), it.group(2)})
        .toList();
    for (String[] message : taken) {
      received.add(message[0]);
      fleet.call("POST", "/mailboxes/hammer/ack", "{\"receipt_handle\":\"" + message[1] + "\"}");
    }
    return taken.size();
  }

  /** Ends the clients, and waits for the end of every run and message. */
  String judge() throws InterruptedException {
    isOver = true;
    locks.forEach(ServiceClient::end);
    for (Thread thread : threads) {
      thread.join();
    }
    Map<String, Integer> ends = new HashMap<>();
    List<String> succeeded = new ArrayList<>();
    for (String id : runs) {
      String end = endOf(fleet, id);
      ends.merge(end, 1, Integer::sum);
      if (end.equals("succeeded")) {
        succeeded.add(id);
      }
    }
    Await.until("the mailbox is empty", UNTIL_THE_END, () -> receive() == 0
        && fleet.call("GET", "/mailboxes/hammer", "").body().contains("\"messages\":0,"));
    List<HammerHistory> all = Competitor.NAMES.stream().map(name -> HammerHistory.read(histories, name)).toList();
    Set<String> lost = new HashSet<>(sent);
    lost.removeAll(received);
    List<String> lines = Files.exists(witness) ? TestFiles.text(witness).lines().toList() : List.of();

    assertThat(all).allSatisfy(history -> assertThat(history.violations()).isEmpty());
    assertThat(overlaps(lines)).isEmpty();
    assertThat(lines.stream().filter(line -> line.endsWith(" exit")).map(line -> line.split(" ", 4)[2]).toList())
        .as("runs whose step has ended").containsAll(succeeded);
    assertThat(lost).as("lost messages").isEmpty();
    assertThat(fleet.call("GET", "/mailboxes/hammer", "").body()).contains("\"dead\":0");
    assertThat(refused).as("refused calls").isEmpty();
    assertThat(all.stream().mapToInt(history -> history.count("enter")).sum()).isPositive();
    assertThat(succeeded).isNotEmpty();
    assertThat(received).isNotEmpty();
    return all + "; " + runs.size() + " runs " + ends + "; " + sent.size() + " messages, 0 lost; requests per host "
        + fleet.requests();
  }

  /** Waits until a run has ended, and returns how; a run that no host finds is an error. */
  static String endOf(ServiceFleet fleet, String id) {
    List<String> end = new ArrayList<>();
    Await.until(id + " has ended", UNTIL_THE_END, () -> {
      HttpResponse<String> answer = fleet.call("GET", "/runs/" + id, "");
      assertThat(answer.statusCode()).as(id + ": " + answer.body()).isEqualTo(200);
      END.matcher(answer.body()).results().findFirst()
          .ifPresent(found -> end.add(found.group(1) + refusal(answer.body())));
      return !end.isEmpty();
    });
    return end.getFirst();
  }

  /** Why a run did not begin, if it did not. */
  private static String refusal(String run) {
    return REFUSAL.matcher(run).results().findFirst().map(found -> " " + found.group(1)).orElse("");
  }

  /** Runs that began twice, or while another one held the lock, or with a token that did not grow. */
  static List<String> overlaps(List<String> lines) {
    List<String> wrong = new ArrayList<>();
    Set<String> begun = new HashSet<>();
    Map<String, String> inside = new HashMap<>();
    Map<String, Long> tokens = new HashMap<>();
    for (String line : lines) {
      String[] words = line.split(" ", 4);
      String lock = words[0];
      long token = Long.parseLong(words[1]);
      if (words[3].equals("enter")) {
        if (!begun.add(words[2])) {
          wrong.add("began twice: " + line);
        }
        if (token <= tokens.getOrDefault(lock, 0L)) {
          wrong.add("the token did not grow: " + line);
        }
        tokens.put(lock, token);
        inside.put(lock, words[2]);
      } else if (words[2].equals(inside.get(lock))) {
        inside.remove(lock);
      } else {
        wrong.add("another one has entered before: " + line);
      }
    }
    return wrong;
  }
}

package fleet.tower.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Invalid values of the chart are rejected")
class InvalidValuesTest {
  private static final String FILES = "storage: { type: files, files: { hostPath: /srv/tower, node: tower-01 } }\n";
  private static final String DATABASE = "storage: { type: database, database: { existingSecret: db } }\n";

  @TempDir
  private Path directory = Path.of("");

  private String complaint(String values) throws IOException {
    return Chart.complaint(Files.writeString(directory.resolve("values.yaml"), values)).orElse("none");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', maxCharsPerColumn = 1000, value = {
      "storage: {} | storage.type is not set; set it to files (with storage.files.hostPath and storage.files.node) or to"
          + " database (with storage.database.existingSecret)",
      "storage: { type: files, files: { node: a } } | storage.files.hostPath is not set; set it to the home on the tower"
          + " host, such as /var/lib/tower-executor, or set persistence.enabled",
      "storage: { type: files, files: { hostPath: /srv/tower } } | storage.files.node is not set, so the pod could start"
          + " on another host, without the home; set it to the tower host's name",
      "storage: { type: files, files: { hostPath: /srv//tower/, node: a } } | storage.files.hostPath /srv//tower/ is not in"
          + " its shortest form; write it as /srv/tower",
      "storage: { type: files, files: { hostPath: /etc/tower, node: a } } | storage.files.hostPath /etc/tower would hide a"
          + " directory that the pod needs; use a separate directory for the home, such as /var/lib/tower-executor",
      "storage: { type: files, files: { hostPath: /opt/tower-executor, node: a } } | storage.files.hostPath"
          + " /opt/tower-executor would hide a directory that the pod needs; use a separate directory for the home, such as"
          + " /var/lib/tower-executor",
      "storage: { type: files, files: { hostPath: /, node: a } } | storage.files.hostPath / would hide a directory that the"
          + " pod needs; use a separate directory for the home, such as /var/lib/tower-executor",
      "storage: { type: files, files: { hostPath: /root/tower-fleet, node: a } } | storage.files.hostPath /root/tower-fleet"
          + " belongs to root, and the pod runs as user 10001; set storage.files.runAsRoot=true, or use a home that this user owns",
      "storage: { type: files, files: { hostPath: /srv/t, node: a }, database: { existingSecret: db } } | storage.database is"
          + " set although storage.type is files; leave it out, or set storage.type to database",
      "storage: { type: database } | storage.database.existingSecret is not set; name a Secret whose key url is"
          + " jdbc:postgresql://HOST/DATABASE?user=USER&password=PASSWORD",
      "storage: { type: database, database: { existingSecret: db, url: 'jdbc:postgresql://db/tower' } } |"
          + " storage.database.url and storage.database.existingSecret are both set; leave out one of them",
      "storage: { type: database, database: { existingSecret: db }, files: { runAsRoot: true } } | storage.files is set"
          + " although storage.type is database; leave it out, or set storage.type to files",
      "storage: { type: database, database: { existingSecret: db } }\u0001persistence: { enabled: true } |"
          + " persistence.enabled is set although storage.type is database; leave it out, or set storage.type to files",
      "storage: { type: files, files: { hostPath: /srv/t, node: a } }\u0001persistence: { enabled: true } |"
          + " storage.files and persistence.enabled are both set; leave out one of them",
      "storage: { type: files, files: { hostPath: /srv/t, node: a } }\u0001operatorToken: { existingSecret: o } |"
          + " operatorToken.existingSecret would replace the token in /srv/t/state/token, which commands on the host use;"
          + " leave it out"})
  @DisplayName("No storage, or two")
  void storage(String values, String complaint) throws IOException {
    assertThat(complaint(values.replace('\u0001', '\n'))).endsWith("): " + complaint);
  }

  @Test
  @DisplayName("More than one replica on files")
  void oneReplicaOnFiles() throws IOException {
    assertThat(complaint(FILES + "replicas: 2"))
        .endsWith("): replicas is 2, but locks in files exclude only the processes"
            + " of one host; set it to 1, or storage.type to database");
    assertThat(complaint(FILES + "replicas: 1")).isEqualTo("none");
    assertThat(complaint(DATABASE + "replicas: 2")).isEqualTo("none");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', maxCharsPerColumn = 1000, value = {
      "intents: { a: 'metadata: { name: a }' }, existingIntents: b | intents and existingIntents are both set; leave out"
          + " one of them",
      "tokens: '- name: a', existingTokens: b | tokens and existingTokens are both set; leave out one of them",
      "intents: { a: 'metadata: { name: b }' } | intents.a has another metadata.name, or is not YAML; both names must be the"
          + " same",
      "intents: { a: '{' } | intents.a has another metadata.name, or is not YAML; both names must be the same",
      "serviceMonitor: { enabled: true } | serviceMonitor.tokenSecret.name is not set, and metrics need a token; name a"
          + " Secret that contains one",
      "podMonitor: { enabled: true } | serviceMonitor.tokenSecret.name is not set, and metrics need a token; name a"
          + " Secret that contains one",
      "serviceMonitor: { enabled: true, tokenSecret: { name: t } }, podMonitor: { enabled: true } |"
          + " serviceMonitor.enabled and podMonitor.enabled are both set, and each pod would be scraped twice; leave out"
          + " one of them",
      "ingress: { enabled: true }, networkPolicy: { enabled: false } | ingress.hosts is empty; name at least one host, such"
          + " as tower.example.org",
      "ingress: { enabled: true, hosts: [t.example.org] } | ingress.enabled is set, but networkPolicy admits only the pods"
          + " of this namespace; set networkPolicy.from to the pods of the ingress controller, or to [{ podSelector: {} }]"
          + " if they are in this namespace",
      "podDisruptionBudget: { enabled: true, minAvailable: 1 } | podDisruptionBudget.maxUnavailable and minAvailable are both"
          + " set; set one of them to null",
      "podDisruptionBudget: { enabled: true, maxUnavailable: null } | podDisruptionBudget has neither maxUnavailable nor"
          + " minAvailable; set one of them",
      "replicas: 2, podDisruptionBudget: { enabled: true, maxUnavailable: null, minAvailable: 2 } |"
          + " podDisruptionBudget.minAvailable 2 of 2 replicas would block every node drain; lower it, or use"
          + " maxUnavailable"})
  @DisplayName("Values that contradict each other")
  void contradictions(String values, String complaint) throws IOException {
    assertThat(complaint("{ storage: { type: database, database: { existingSecret: db } }, " + values + " }"))
        .endsWith("): " + complaint);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', maxCharsPerColumn = 1000, value = {
      "replica: 2 | additional properties 'replica' not allowed",
      "replicas: two | at '/replicas': got string, want integer",
      "replicas: 0 | at '/replicas': minimum: got 0, want 1",
      "storage: { type: disk } | at '/storage/type': value must be one of '', 'files', 'database'",
      "storage: { files: { hostPath: home } } | at '/storage/files/hostPath': 'home' does not match pattern",
      "storage: { database: { url: 'postgres://db/tower' } } | at '/storage/database/url': 'postgres://db/tower' does not"
          + " match pattern '^$\u0001^jdbc:postgresql://'",
      "shutdown: { graceSeconds: 20s } | at '/shutdown/graceSeconds': got string, want integer",
      "user: { uid: 0 } | at '/user/uid': minimum: got 0, want 1",
      "persistence: { size: 10GB } | at '/persistence/size': '10GB' does not match pattern",
      "ingress: { hosts: ['https://t.example.org'] } | at '/ingress/hosts/0': 'https://t.example.org' does not match pattern",
      "image: { digest: latest } | at '/image/digest': 'latest' does not match pattern",
      "intents: { Deploy: x } | invalid propertyName 'Deploy'",
      "env: { A: b } | at '/env': got object, want array"})
  @DisplayName("Values of the wrong form, by the schema")
  void form(String values, String complaint) throws IOException {
    assertThat(complaint(values)).contains(complaint.replace('\u0001', '|'));
  }
}

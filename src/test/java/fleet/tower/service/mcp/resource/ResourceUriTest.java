package fleet.tower.service.mcp.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Instant;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.audit.AuditTrail;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.service.mcp.wire.ProtocolError;

@DisplayName("Addresses of resources")
class ResourceUriTest {
  private static final String AUDIT = "tower://audit?";

  @Test
  @DisplayName("Each kind of resource has one address, whose names may be percent-encoded")
  void valid() {
    assertThat(ResourceUri.parse("tower://prime")).contains(new ResourceUri.Prime());
    assertThat(ResourceUri.parse("tower://hosts")).contains(new ResourceUri.Hosts());
    assertThat(ResourceUri.parse("tower://intents/deploy%2Dapp")).contains(new ResourceUri.OfIntent("deploy-app"));
    assertThat(ResourceUri.parse("tower://intents/%C3%BC")).contains(new ResourceUri.OfIntent("ü"));
    assertThat(ResourceUri.parse("tower://runs/req_1:a")).contains(new ResourceUri.OfRun(new RequestId("req_1:a")));
    assertThat(ResourceUri.parse("tower://runs/r/log"))
        .contains(new ResourceUri.OfLog(new RequestId("r"), null, 0));
    assertThat(ResourceUri.parse("tower://runs/r/log?step=one&offset=12"))
        .contains(new ResourceUri.OfLog(new RequestId("r"), "one", 12));
    assertThat(ResourceUri.parse("tower://locks/prod")).contains(new ResourceUri.OfLock(new LeaseName("prod")));
    assertThat(ResourceUri.parse("tower://audit"))
        .contains(audit(new AuditTrail.Query(null, null, null, null, null), 100, false));
    assertThat(ResourceUri.parse(AUDIT + "since=2026-01-31T08:00:00Z&until=2026-01-31T09:00:00Z&event=lock_acquired"
        + "&lock_name=prod&request_id=r&limit=3&local=true"))
        .contains(audit(new AuditTrail.Query(Instant.parse("2026-01-31T08:00:00Z"), "prod", "r",
            "lock_acquired", Instant.parse("2026-01-31T09:00:00Z")), 3, true));
    assertThat(ResourceUri.parse("file:///etc/passwd")).isEmpty();
    assertThat(ResourceUri.parse("")).isEmpty();
  }

  private static ResourceUri.Audit audit(AuditTrail.Query query, int limit, boolean isLocal) {
    return new ResourceUri.Audit(query, query.page(isLocal, limit, null), isLocal);
  }

  @ParameterizedTest
  @DisplayName("An invalid address is refused with the reason, and the address as data")
  @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
      tower://                          | there is no kind of resource ''; the kinds are prime, intents
      tower://run/r                     | did you mean tower://runs?
      tower://prime/                    | more segments
      tower://prime/x                   | more segments
      tower://PRIME                     | there is no kind of resource 'PRIME'
      tower://user@prime                | there is no kind of resource 'user@prime'
      tower://prime?x=1                 | unknown query parameter 'x'; this resource has none
      tower://prime?                    | the query parameter '' has no value
      tower://prime#top                 | contains '#'
      tower://intents                   | the name is missing: tower://intents/{name}
      tower://intents/a/b               | more segments
      tower://runs/..%2F..%2Fetc        | request id
      tower://runs/../../etc            | request id
      tower://runs//log                 | request id
      tower://runs/r/logs               | tower://runs/{id}/log
      tower://runs/r/log/x              | tower://runs/{id}/log
      tower://runs/r/log?Offset=1       | unknown query parameter 'Offset'; did you mean offset?
      tower://runs/r/log?offset=-1      | 'offset' must be a whole number from 0 up
      tower://runs/r/log?offset=1e9     | 'offset' must be a whole number
      tower://runs/r/log?offset=9999999999999999999 | 'offset' must be a whole number
      tower://runs/r/log?offset=1&offset=2 | 'offset' is given twice
      tower://runs/r/log?offset         | 'offset' has no value; write name=value
      tower://locks/Prod                | did you mean 'prod'?
      tower://locks/prod%00             | lock name
      tower://locks/%2e%2e              | lock name
      tower://locks/prod%               | % that is not followed by two hexadecimal digits
      tower://locks/prod%2              | % that is not followed by two hexadecimal digits
      tower://locks/%zz                 | % that is not followed by two hexadecimal digits
      tower://locks/%ff                 | not UTF-8
      tower://locks/%c0%ae              | not UTF-8
      tower://locks/prü                 | contains 'ü', which must be percent-encoded
      tower://audit?since=8h            | UTC time like
      tower://audit?event=lock_aquired  | did you mean lock_acquired
      tower://audit?limit=0             | 'limit' must be a whole number from 1 to 1000
      tower://audit?limit=1001          | 'limit' must be a whole number from 1 to 1000
      tower://audit?local=yes           | 'local' must be true or false
      tower://audit?lockname=prod       | unknown query parameter 'lockname'; did you mean lock_name?
      """)
  void invalid(String uri, String reason) {
    ProtocolError error = catchThrowableOfType(ProtocolError.class, () -> ResourceUri.parse(uri));

    assertThat(error).isNotNull();
    assertThat(error.code()).isEqualTo(-32602);
    assertThat(error).hasMessageContaining(reason);
    assertThat(error.data()).isNotNull();
    assertThat(McpHome.json(String.valueOf(error.data() == null ? null : error.data().end())).text("uri"))
        .contains(uri);
  }

  @Test
  @DisplayName("A very long address is refused, and not repeated in full")
  void tooLong() {
    ProtocolError error = catchThrowableOfType(ProtocolError.class,
        () -> ResourceUri.parse("tower://locks/" + "a".repeat(100_000)));

    assertThat(error).hasMessage("the address is longer than 2048 characters");
    assertThat(error.data() == null ? "" : error.data().end()).hasSizeLessThan(2_100);
  }
}

package fleet.tower.service.mcp.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;

import fleet.tower.access.Role;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Parameter;
import fleet.tower.intent.Values;
import fleet.tower.operation.GivenParams;
import fleet.tower.platform.json.JsonWriter;

@DisplayName("The input schema of an intent's tool")
class IntentSchemaTest {
  private static final int CASES = 400;
  private static final List<String> VALUES = List.of("\"staging\"", "\"production\"", "\"prod\"", "\"shop\"", "\"\"",
      "\"Shop\"", "\"-x\"", "\"a-b\"", "\".\"", "\"..\"", "\"a/b\"", "0", "1", "-1", "2.5", "50", "51", "600", "10081",
      "true", "false", "\"true\"", "\"1\"", "null", "[]", "{}", "\"blue\"", "\"check\"");

  @TempDir
  private Path root = Path.of("not-yet");

  /** Arguments with some of the parameters, and sometimes one of another name. */
  private static String arguments(Intent intent, Random random) {
    JsonWriter json = JsonWriter.line();
    List<String> names = new ArrayList<>(intent.params().stream().map(Parameter::name).toList());
    if (random.nextInt(8) == 0) {
      names.add("colours");
    }
    names.forEach(name -> {
      if (random.nextInt(4) > 0) {
        json.raw(name, intent.param(name).filter(param -> param.type() == Parameter.Type.STRING
            && !param.limits().allowed().isEmpty() && random.nextBoolean()).map(param -> JsonWriter
                .quote(param.limits().allowed().get(random.nextInt(param.limits().allowed().size()))))
            .orElseGet(() -> VALUES.get(random.nextInt(VALUES.size()))));
      }
    });
    return json.end();
  }

  @Test
  @DisplayName("It accepts what the intent accepts, and refuses what the intent refuses; so does the check of a call")
  void agrees() {
    Random random = new Random(17);
    try (ToolsHome tools = new ToolsHome(ToolsHome.withSamples(root), IntentOffer.Mode.AUTO)) {
      for (Intent intent : tools.engine.catalogue().list()) {
        if (intent.params().stream().anyMatch(Parameter::secret)) {
          continue;
        }
        IntentSchema written = new IntentSchema(intent, ToolsHome.caller(Role.AGENT));
        Schema schema = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
            .getSchema(written.ofTool().end());
        int accepted = 0;
        for (int i = 0; i < CASES; i++) {
          String arguments = arguments(intent, random);
          boolean accepts = Values.read(intent.params(),
              GivenParams.of(ToolsHome.json(arguments))) instanceof Values.Accepted;
          assertThat(schema.validate(arguments, InputFormat.JSON).isEmpty())
              .as(intent.name() + " " + arguments).isEqualTo(accepts);
          accepted += accepts ? 1 : 0;
        }
        assertThat(accepted).as(intent.name()).isPositive();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"[a-z]+", "[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?", "(?:a|b)*?c{2,}", "\\d{3}-\\w+", "^v\\.1$",
      "[^/\\]\\\\-]+", "[.]|[A-Za-z0-9_-]{1,40}", ".{8,200}", "é+"})
  @DisplayName("A pattern that is the same everywhere is shown")
  void portable(String pattern) {
    assertThatCode(() -> Pattern.compile(pattern)).doesNotThrowAnyException();
    assertThat(IntentSchema.isPortable(pattern)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"(?i)a", "a++", "[a-z&&[^b]]", "\\p{Alpha}", "\\Qa.b\\E", "(?<=a)b", "(?<n>a)\\k<n>", "a{2}+",
      "\\h", "\\x{1F600}", "[[a]]", "\\Aa\\z", "[\\w-.]"})
  @DisplayName("A pattern that only Java understands is not: a client that compiles it would lose all tools")
  void notPortable(String pattern) {
    assertThatCode(() -> Pattern.compile(pattern)).doesNotThrowAnyException();
    assertThat(IntentSchema.isPortable(pattern)).isFalse();
  }
}

package fleet.tower.service.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.bind.validation.ValidationBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.validation.beanvalidation.SpringValidatorAdapter;

import fleet.tower.home.Home;
import fleet.tower.home.HomeSettings;
import fleet.tower.home.Settings;
import fleet.tower.platform.time.TimeSpans;
import jakarta.validation.Validation;

@DisplayName("A time span means the same in a command and in every key of the service")
class TimeSpanSettingsTest {
  private static final SpringValidatorAdapter VALIDATOR = new SpringValidatorAdapter(
      Validation.buildDefaultValidatorFactory().getValidator());

  @TempDir
  private Path temp = Path.of("");

  /** The settings of the service alone. */
  @EnableConfigurationProperties(TowerProperties.class)
  @Import(TimeSpanConverter.class)
  static class Bound {}

  private static TowerProperties settings(Map<String, Object> properties) {
    try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Bound.class)
        .properties(Settings.standards()).web(WebApplicationType.NONE).logStartupInfo(false)
        .run(properties.entrySet().stream().map(it -> "--" + it.getKey() + "=" + it.getValue())
            .toArray(String[]::new))) {
      return context.getBean(TowerProperties.class);
    }
  }

  /** The same without Spring's context, which takes most of the time. */
  private static TowerProperties bound(Map<String, Object> properties) {
    StandardEnvironment environment = new StandardEnvironment();
    environment.getPropertySources().addFirst(new MapPropertySource("given", properties));
    environment.getPropertySources().addLast(new MapPropertySource("standards", Settings.standards()));
    ApplicationConversionService conversions = new ApplicationConversionService();
    conversions.addConverter(new TimeSpanConverter());
    return new Binder(ConfigurationPropertySources.get(environment),
        new PropertySourcesPlaceholdersResolver(environment),
        conversions).bindOrCreate("tower", Bindable.of(TowerProperties.class), new ValidationBindHandler(VALIDATOR));
  }

  /** The groups of settings that have time spans. */
  private static Stream<RecordComponent> components() {
    return Arrays.stream(TowerProperties.class.getDeclaredClasses()).filter(Class::isRecord)
        .flatMap(group -> Arrays.stream(group.getRecordComponents()))
        .filter(component -> component.getType() == TimeSpan.class);
  }

  private static String key(RecordComponent component) {
    return "tower." + component.getDeclaringRecord().getSimpleName().toLowerCase(Locale.ROOT) + "."
        + component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }

  static Stream<Arguments> keysAndForms() {
    return components().flatMap(component -> Stream.of("20", "20s", "PT20S", "20000ms", "0m", "1h", "2d", "20S", "20us",
        "-1s", "+1", "1.5s").map(form -> Arguments.of(key(component), form, component)));
  }

  @ParameterizedTest(name = "{0}={1}")
  @MethodSource("keysAndForms")
  @DisplayName("Every key accepts exactly the forms of the commands, with the same meaning")
  void forms(String key, String form, RecordComponent component) throws Exception {
    Optional<Duration> meant = TimeSpans.parse(form);
    if (meant.isPresent()) {
      try {
        TowerProperties settings = bound(Map.of(key, form));
        assertThat(value(settings, component)).isEqualTo(new TimeSpan(meant.get()));
      } catch (RuntimeException e) {
        // Too short or too long for this key; its form is valid.
        assertThat(rootOf(e)).hasMessageContaining("must be");
      }
    } else {
      assertThatThrownBy(() -> bound(Map.of(key, form))).rootCause()
          .hasMessage("'" + form + "' is not a time span like 90s, 15m, 8h or 2d");
    }
  }

  private static Throwable rootOf(Throwable failure) {
    return failure.getCause() == null ? failure : rootOf(failure.getCause());
  }

  private static Object value(TowerProperties properties, RecordComponent component)
      throws IllegalAccessException, InvocationTargetException, NoSuchMethodException {
    String group = component.getDeclaringRecord().getSimpleName().toLowerCase(Locale.ROOT);
    Method groupOf = TowerProperties.class.getDeclaredMethod(group);
    Method accessor = component.getAccessor();
    accessor.setAccessible(true);
    return accessor.invoke(groupOf.invoke(properties));
  }

  @Test
  @DisplayName("A number alone is in seconds: a grace of 60, runs kept for 1, a heartbeat at most every 20")
  void numbersAlone() {
    Map<String, String> numbers = Map.of("tower.shutdown.grace", "60", "tower.retention.runs", "1",
        "tower.heartbeat.max-interval", "20");
    TowerProperties service = settings(Map.copyOf(numbers));

    assertThat(service.shutdown().grace().value()).isEqualTo(Duration.ofSeconds(60));
    try (
        Home ofService = new Home(temp, HomeSettings.of(temp, numbers, Map.of()), _ -> {}, Home.Listener.NONE);
        Home ofCommand = new Home(temp, Map.of("TOWER_RETENTION_RUNS", "1", "TOWER_HEARTBEAT_MAX_INTERVAL", "20"),
            _ -> {}, Home.Listener.NONE)) {
      assertThat(ofService.upkeep().limits()).isEqualTo(ofCommand.upkeep().limits());
      assertThat(ofCommand.upkeep().limits().runs()).isEqualTo(Duration.ofSeconds(1));
      assertThat(ofService.longestInterval()).isEqualTo(ofCommand.longestInterval()).isEqualTo(Duration.ofSeconds(20));
    }
  }

  @Test
  @DisplayName("The limit of connections without a token is read by the same parser")
  void tokenTimeout() {
    try (TestService service = new TestService(temp, "--tower.calls.token-timeout=7")) {
      assertThat(service.get("/locks").status()).isEqualTo(200);
    }
  }

  @Test
  @DisplayName("No setting is read by Spring's own parser of time spans")
  void areAllOurs() {
    assertThat(Arrays.stream(TowerProperties.class.getDeclaredClasses()).filter(Class::isRecord)
        .flatMap(group -> Arrays.stream(group.getRecordComponents())).map(RecordComponent::getType))
        .doesNotContain(Duration.class);
    assertThat(components().map(TimeSpanSettingsTest::key)).contains("tower.shutdown.grace",
        "tower.heartbeat.max-interval", "tower.queue.stalled-after", "tower.queue.lease", "tower.retention.runs",
        "tower.retention.audit", "tower.locks.keep-unused", "tower.tokens.lifetime");
  }
}

package fleet.tower.service.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.WebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextClosedEvent;

import fleet.tower.answer.Reply;
import fleet.tower.home.Home;
import fleet.tower.home.Settings;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;

/**
 * The service process: starts, or prints in one line why it cannot; prints its address, and runs until it is stopped.
 */
public final class Daemon {
  /** Any other format is plain, or refused when the settings are checked. */
  private static final Set<String> STRUCTURED = Set.of("ecs", "logstash", "gelf");

  private final Path root;
  private final Console console;

  /** The service of the home in a directory. */
  public Daemon(Path root, Console console) {
    this.root = root;
    this.console = console;
  }

  /**
   * Returns when the service has ended or failed to start.
   *
   * @param port the port to listen on; empty if the configuration decides
   */
  public Reply run(Optional<Integer> port) {
    List<String> settings = new ArrayList<>();
    port.ifPresent(number -> settings.add("--server.port=" + number));
    try {
      ConfigurableApplicationContext service = start(settings);
      CountDownLatch closed = new CountDownLatch(1);
      service.addApplicationListener((ContextClosedEvent _) -> closed.countDown());
      closed.await();
      return Reply.of(Exit.DONE, JsonWriter.line());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Reply.of(Exit.DONE, JsonWriter.line());
    } catch (RuntimeException e) {
      return StartFailure.reply(e, root);
    }
  }

  /** Starts it with settings that override all others, and prints on the console that it is ready. */
  ConfigurableApplicationContext start(List<String> settings) {
    List<String> arguments = new ArrayList<>(settings);
    arguments.add("--tower.home=" + root);
    SpringApplication application = new SpringApplication(TowerApplication.class);
    application.setWebApplicationType(WebApplicationType.SERVLET);
    // Excludes the working directory, which Spring would search too.
    Map<String, Object> defaults = new HashMap<>(Settings.standards());
    defaults.put("spring.config.location", "optional:classpath:/,optional:file:" + root.resolve("config") + "/");
    application.setDefaultProperties(defaults);
    application.addInitializers(
        (ApplicationContextInitializer<ConfigurableApplicationContext>) context -> new SharedSettings(root)
            .replaceIn(context),
        (ApplicationContextInitializer<ConfigurableApplicationContext>) this::registerConsole,
        (ApplicationContextInitializer<ConfigurableApplicationContext>) context -> context
            .addBeanFactoryPostProcessor(new ConfigurationReaders()));
    ConfigurableApplicationContext service = application.run(arguments.toArray(String[]::new));
    if (service.getBean(Console.class).equals(console)) {
      String token = service.getBean(Home.class).access().operatorToken().map(path -> "$(cat " + path + ")")
          .orElse("$TOWER_TOKEN");
      console.data("tower: try: curl -H \"Authorization: Bearer " + token + "\" " + urlOf(service)
          + RunOperations.LIST_INTENTS.path());
      console.data("tower: console: " + urlOf(service) + "/console/");
    }
    service.getBean(Console.class).data("tower: ready on " + urlOf(service));
    return service;
  }

  /** Registers the console as soon as the settings are known, so that every line has the form that they name. */
  private void registerConsole(ConfigurableApplicationContext context) {
    ConfigurableListableBeanFactory beans = context.getBeanFactory();
    String format = context.getEnvironment().getProperty(Settings.LOG_FORMAT.key(), "").toLowerCase(Locale.ROOT);
    if (!STRUCTURED.contains(format)) {
      beans.registerSingleton("console", console);
      return;
    }
    ServiceLog log = new ServiceLog(console, format);
    beans.registerSingleton("console", log.console());
    beans.registerSingleton("log", log);
  }

  static String urlOf(ConfigurableApplicationContext service) {
    WebServer server = service instanceof WebServerApplicationContext web ? web.getWebServer() : null;
    int port = server == null ? 0 : server.getPort();
    String scheme = server instanceof TomcatWebServer tomcat ? tomcat.getTomcat().getConnector().getScheme() : "http";
    String address = service.getEnvironment().getProperty("server.address", "127.0.0.1");
    return scheme + "://" + (address.contains(":") ? "[" + address + "]" : address) + ":" + port;
  }
}

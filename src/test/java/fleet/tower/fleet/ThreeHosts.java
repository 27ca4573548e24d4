package fleet.tower.fleet;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;
import org.junit.platform.commons.support.AnnotationSupport;

import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;

/**
 * Runs the tests of a class against three services with separate homes and one PostgreSQL, behind a
 * {@link RandomProxy}: each {@code TestService} that a test starts is such a fleet.
 */
public final class ThreeHosts
    implements
      TestInstancePreConstructCallback,
      BeforeAllCallback,
      AfterAllCallback,
      ExecutionCondition {
  private static final Map<Path, String> DATABASES = new ConcurrentHashMap<>();
  private static volatile boolean isActive;

  /** Whether tests run against three hosts now. */
  public static boolean isActive() {
    return isActive;
  }

  /** The database of a test's home, the same after each restart. */
  public static String databaseOf(Path home) {
    return DATABASES.computeIfAbsent(home, _ -> countingFromOne());
  }

  /** Fencing tokens are the timeline and a counter; on timeline 0 they are those of a single host. */
  private static String countingFromOne() {
    String url = PostgresServer.newDatabase();
    new DirectTables(url).change("CREATE FUNCTION public.pg_walfile_name(pg_lsn) RETURNS TEXT LANGUAGE sql AS"
        + " $$SELECT '000000000000000000000001'$$");
    return url + "&options=-c%20search_path=public,pg_catalog";
  }

  @Override
  public void preConstructTestInstance(TestInstanceFactoryContext factory, ExtensionContext context) {
    isActive = true;
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    isActive = true;
  }

  @Override
  public void afterAll(ExtensionContext context) {
    isActive = false;
    DATABASES.clear();
  }

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    return AnnotationSupport.findAnnotation(context.getElement(), OneHost.class)
        .map(one -> ConditionEvaluationResult.disabled(one.value()))
        .orElseGet(() -> ConditionEvaluationResult.enabled("is the same for every number of hosts"));
  }
}

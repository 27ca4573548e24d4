package fleet.tower.mutant;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toSet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs tests in a JVM of its own until one fails, and writes a line for each that ended: {@link #PASSED} and the test,
 * {@link #FAILED} and why, {@link #UNLOADED} if a class is not there or does not fit the others, or {@link #ABORTED} if
 * this machine lacks what it needs.
 */
final class TestRun {
  static final String PASSED = "passed ";
  static final String FAILED = "failed ";
  static final String UNLOADED = "unloaded ";
  static final String ABORTED = "aborted ";

  private TestRun() {}

  /**
   * Runs the tests.
   *
   * @param arguments the file to write to, then the tests as a {@link RoomMutant} names them
   */
  public static void main(String[] arguments) throws IOException {
    Map<String, Set<String>> methods = List.of(arguments).subList(1, arguments.length).stream()
        .collect(groupingBy(TestRun::className, mapping(TestRun::method, toSet())));
    CancellationToken end = CancellationToken.create();
    Recorder recorder = new Recorder(end);
    PostDiscoveryFilter named = it -> FilterResult.includedIf(isNamed(it, methods));
    LauncherFactory.create().execute(LauncherDiscoveryRequestBuilder.discoveryRequest()
        .selectors(methods.keySet().stream().map(DiscoverySelectors::selectClass).toList()).filters(named)
        .forExecution().listeners(recorder).cancellationToken(end).build());
    Files.write(Path.of(arguments[0]), recorder.lines());
    // A bug may leave processes and threads that never end.
    ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
    System.exit(0);
  }

  static String className(String test) {
    return Mutation.className(test.replaceFirst("#.*", ""));
  }

  /** The method of a test; empty for all. */
  private static String method(String test) {
    return test.contains("#") ? test.substring(test.indexOf('#') + 1) : "";
  }

  private static boolean isNamed(TestDescriptor test, Map<String, Set<String>> methods) {
    return !(test.getSource().orElse(null) instanceof MethodSource source)
        || methods.getOrDefault(source.getClassName(), Set.of()).stream()
            .anyMatch(it -> it.isEmpty() || it.equals(source.getMethodName()));
  }

  private static final class Recorder implements TestExecutionListener {
    private final CancellationToken end;
    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
    private volatile @Nullable TestPlan plan;

    Recorder(CancellationToken end) {
      this.end = end;
    }

    List<String> lines() {
      return List.copyOf(lines);
    }

    @Override
    public void testPlanExecutionStarted(TestPlan started) {
      plan = started;
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      switch (result.getStatus()) {
        case SUCCESSFUL -> {
          if (test.isTest()) {
            lines.add(PASSED + name(test));
          }
        }
        case FAILED -> {
          Throwable why = result.getThrowable().orElseGet(AssertionError::new);
          boolean isOfTest = test.getSource().isPresent() && !isOfLoading(why);
          lines.add((isOfTest ? FAILED : UNLOADED) + name(test) + ": "
              + why.toString().strip().replaceAll("\\s+", " "));
          end.cancel();
        }
        case ABORTED -> lines.add(ABORTED + name(test));
      }
    }

    /** The test as a mutant names it. */
    private String name(TestIdentifier test) {
      Optional<TestIdentifier> part = Optional.of(test);
      while (part.isPresent()) {
        if (part.get().getSource().orElse(null) instanceof MethodSource source) {
          return source.getClassName().replaceFirst("^fleet\\.tower\\.", "").replace('.', '/') + "#"
              + source.getMethodName();
        }
        part = requireNonNull(plan).getParent(part.get());
      }
      return test.getDisplayName();
    }

    private static boolean isOfLoading(Throwable why) {
      for (Throwable cause = why; cause != null; cause = cause.getCause()) {
        if (cause instanceof LinkageError && !(cause instanceof ExceptionInInitializerError)) {
          return true;
        }
      }
      return false;
    }
  }
}

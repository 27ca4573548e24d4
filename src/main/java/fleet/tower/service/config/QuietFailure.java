package fleet.tower.service.config;

import org.springframework.boot.SpringBootExceptionReporter;

/** Suppresses Spring's long report of a failure that {@link StartFailure} prints in one line. */
final class QuietFailure implements SpringBootExceptionReporter {
  @Override
  public boolean reportException(Throwable failure) {
    return true;
  }
}

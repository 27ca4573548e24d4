package fleet.tower.service.config;

import org.springframework.boot.SpringBootExceptionReporter;

/** Keeps Spring from reporting at length what {@link StartFailure} tells in one line. */
final class QuietFailure implements SpringBootExceptionReporter {
  @Override
  public boolean reportException(Throwable failure) {
    return true;
  }
}

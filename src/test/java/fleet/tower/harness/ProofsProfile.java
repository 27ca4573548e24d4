package fleet.tower.harness;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A test that only {@code ./mvnw verify -Pproofs} and -Plong run. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@ExtendWith(ProofsProfile.Condition.class)
public @interface ProofsProfile {

  /** Leaves the test out of other builds. */
  final class Condition implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext test) {
      if (Extent.isWhole()) {
        return ConditionEvaluationResult.enabled("this build runs everything");
      }
      LeftOut.add(test.getRequiredTestClass().getSimpleName(),
          test.getTestMethod().map(_ -> test.getDisplayName()).orElse(""));
      return ConditionEvaluationResult.disabled("./mvnw verify -Pproofs");
    }
  }
}

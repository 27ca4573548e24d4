package fleet.tower.harness;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** A test that only the longer build runs: {@code ./mvnw verify -Plong}. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@EnabledIfSystemProperty(named = "proofs.level", matches = "long", disabledReason = "./mvnw verify -Plong")
public @interface LongProfile {
}

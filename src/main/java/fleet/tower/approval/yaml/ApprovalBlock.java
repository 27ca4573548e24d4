package fleet.tower.approval.yaml;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import fleet.tower.approval.ApprovalRule;
import fleet.tower.approval.ApprovalTerms;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.Node;

/** The block {@code approve} of an intent and of a policy; their schemas have checked its form. */
public final class ApprovalBlock {
  private ApprovalBlock() {}

  /** Reads a block. */
  public static ApprovalRule read(Node block, Complaints complaints) {
    Map<String, List<String>> when = new LinkedHashMap<>();
    block.entries("when").forEach(entry -> when.put(entry.key().text(), block.node("when").stream()
        .flatMap(it -> texts(it, entry.key().text()).stream()).toList()));
    List<String> from = texts(block, "from");
    // The schema has reported any other word.
    int need = block.scalar("n").map(Node.Scalar::text).filter(it -> it.matches("[0-9]{1,2}")).map(Integer::valueOf)
        .orElse(1);
    return new ApprovalRule(when, new ApprovalTerms(need, from.isEmpty() ? List.of() : List.of(from),
        span(block, "within", ApprovalTerms.WITHIN, complaints),
        span(block, "valid", ApprovalTerms.VALID, complaints)));
  }

  private static List<String> texts(Node node, String key) {
    return node.items(key).stream().map(item -> item instanceof Node.Scalar scalar ? scalar.text() : "").toList();
  }

  private static Duration span(Node block, String key, Duration otherwise, Complaints complaints) {
    return block.scalar(key).map(it -> {
      Duration span = TimeSpans.parse(it.text()).orElse(Duration.ZERO);
      if (span.isZero() || span.compareTo(ApprovalTerms.LONGEST) > 0) {
        complaints.error(it.position(), "must be a time span of 1s to " + ApprovalTerms.LONGEST.toDays() + "d");
      }
      return span;
    }).orElse(otherwise);
  }
}

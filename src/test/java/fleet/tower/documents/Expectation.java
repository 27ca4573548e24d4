package fleet.tower.documents;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The documented output of a command; times, ids, hosts and durations may differ. */
record Expectation(String text) {
  private static final String ANYTHING = "…";

  boolean isMetBy(String output) {
    StringBuilder pattern = new StringBuilder();
    for (String line : stable(text).split("\n", -1)) {
      if (line.equals(ANYTHING)) {
        pattern.append("(?:.*\n)*?");
      } else {
        for (String part : line.splitWithDelimiters(ANYTHING, -1)) {
          pattern.append(part.equals(ANYTHING) ? ".*" : Pattern.quote(part));
        }
        pattern.append("\n");
      }
    }
    return Pattern.compile(pattern.toString()).matcher(stable(output) + "\n").matches();
  }

  /** The text with everything that varies between runs replaced by fixed words. */
  static String stable(String text) {
    Matcher moment = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ").matcher(text);
    return moment.replaceAll("TIME").replaceAll("req_[0-9a-z…]+", "REQUEST").replaceAll("\\b\\d+(\\.\\d+)?s\\b", "Ns")
        .replaceAll("\\bon [\\w.-]+ \\(intent", "on HOST (intent")
        .replaceAll("\"host_id\":\"[^\"]*\"", "\"host_id\":HOST")
        .replaceAll("\"pid\":\\d+", "\"pid\":N").replaceAll("sha256:[0-9a-f]{64}", "HASH");
  }
}

package fleet.tower.policy.yaml;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import fleet.tower.access.Digests;
import fleet.tower.intent.Catalogue;
import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.SourceFile;
import fleet.tower.policy.PolicySource;

/**
 * The file {@code policy.yaml} of a directory.
 *
 * @param isTrusted whether others may write it, as in a container with a single user
 */
public record PolicyFiles(Path directory, boolean isTrusted) {
  /** The name of the file. */
  public static final String NAME = "policy.yaml";

  /** The policy, which is read again when the file changes. */
  public PolicySource open(TimeSource time, Scheduler scheduler) {
    return new PolicyFile(path(), isTrusted, time, scheduler);
  }

  public Path path() {
    return directory.resolve(NAME);
  }

  /** Whether a file is a policy by its name. */
  public static boolean isPolicy(Path file) {
    return file.endsWith(NAME);
  }

  /** The digest of the file, for comparison with that of another host; empty if there is none. */
  public Optional<String> digest() {
    return Files.exists(path(), LinkOption.NOFOLLOW_LINKS)
        ? new SourceFile(path(), PolicyReader.FORM).read(new Complaints(NAME)).map(Digests::of)
        : Optional.empty();
  }

  /** What is wrong with the file; nothing if there is none. */
  public List<Catalogue.Complaint> complaints() {
    return Files.exists(path(), LinkOption.NOFOLLOW_LINKS) ? complaintsOf(path()) : List.of();
  }

  /** What is wrong with a file. */
  public List<Catalogue.Complaint> complaintsOf(Path file) {
    return PolicyFile.load(file, isTrusted).complaints().stream()
        .map(it -> new Catalogue.Complaint(it.file(), it.position().line(), it.position().column(), it.isError(), null,
            it.message()))
        .toList();
  }

  /** The check of the file. */
  public Examination examination() {
    return () -> {
      List<Catalogue.Complaint> complaints = complaints();
      boolean exists = Files.exists(path(), LinkOption.NOFOLLOW_LINKS);
      return complaints.isEmpty()
          ? List.of(Finding.ok("policy", exists ? path() + " is valid" : "none"))
          : complaints.stream().map(PolicyFiles::finding).toList();
    };
  }

  private static Finding finding(Catalogue.Complaint complaint) {
    return complaint.isError()
        ? Finding.fail("policy", complaint + "; nothing new begins", "correct it, then run `tower validate`")
        : Finding.warn("policy", complaint.toString(), "run `tower validate`");
  }
}

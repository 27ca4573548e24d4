package fleet.tower.intent;

import java.util.List;

import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;

/** Checks that every intent is valid. An invalid intent does not prevent the others from running. */
public final class CatalogueExamination implements Examination {
  private final Catalogue catalogue;

  public CatalogueExamination(Catalogue catalogue) {
    this.catalogue = catalogue;
  }

  @Override
  public List<Finding> examine() {
    List<Catalogue.Complaint> complaints = catalogue.complaints();
    if (complaints.isEmpty()) {
      int intents = catalogue.list().size();
      return List.of(Finding.ok("intents", intents == 0 ? "none" : intents + ", all valid"));
    }
    return complaints.stream().map(complaint -> Finding.warn("intents", complaint.toString(),
        "run `tower validate " + complaint.file() + "`")).toList();
  }
}

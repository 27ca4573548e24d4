package fleet.tower.service.web;

import org.junit.jupiter.api.DisplayName;

@DisplayName("With locks in files, lists have pages that hide no row")
class FilePagedListsTest extends PagedListsContract {}

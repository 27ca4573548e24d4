package fleet.tower.cli;

import fleet.tower.service.web.WebConfiguration;

interface CliKnowsService {
  WebConfiguration configuration();
}

package fleet.tower.service;

import fleet.tower.cli.Tower;

/** The doors stand side by side: neither may use the other. */
final class ServiceKnowsCli {
  Tower tower;
}

package fleet.tower.cli;

import org.springframework.boot.SpringApplication;

interface CliStartsSpring {
  SpringApplication application();
}

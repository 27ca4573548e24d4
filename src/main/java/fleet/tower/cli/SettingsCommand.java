package fleet.tower.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import fleet.tower.answer.Reply;
import fleet.tower.answer.Table;
import fleet.tower.cli.shell.Command;
import fleet.tower.home.Home;
import fleet.tower.home.HomeSettings;
import fleet.tower.home.Setting;
import fleet.tower.home.Settings;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.sql.DatabaseLocation;

/** {@code tower settings}: the settings of the home that have a value, and where each comes from. */
final class SettingsCommand {
  private static final Pattern PASSWORD = Pattern.compile("(?i)((?:password|passwd|secret|token|key)=)[^&]*");
  private static final Pattern USER_INFO = Pattern.compile("(//[^/@?]*:)[^/@?]*@");

  private final Home home;

  SettingsCommand(Home home) {
    this.home = home;
  }

  Command settings() {
    return new Command("settings", List.of(), "list the settings of this home, and where each comes from", List.of(),
        _ -> list());
  }

  private Reply list() {
    home.root();
    List<HomeSettings.Effective> settings = home.settings().effective();
    List<List<String>> table = new ArrayList<>(List.of(List.of("SETTING", "VALUE", "FROM")));
    List<String> rows = new ArrayList<>();
    for (HomeSettings.Effective it : settings) {
      Setting.Origin origin = it.given().origin();
      String value = shown(it);
      table.add(List.of(it.setting().key(), value,
          origin.place().isEmpty() ? origin.source().toString() : origin.place()));
      JsonWriter row = JsonWriter.line().put("key", it.setting().key()).put("value", value)
          .put("source", origin.source().toString());
      rows.add((origin.place().isEmpty() ? row : row.put("place", origin.place())).end());
    }
    Reply reply = Reply.of(Exit.DONE, JsonWriter.line().list("settings", rows));
    Table.lines(table).forEach(reply::data);
    return reply;
  }

  /** A value without the passwords of a URL; a database's URL of an unknown form could have one anywhere. */
  private static String shown(HomeSettings.Effective setting) {
    String text = setting.given().text();
    boolean isKnown = !setting.setting().name().equals(Settings.DATABASE_URL.name()) || DatabaseLocation.isValid(text);
    return isKnown ? USER_INFO.matcher(PASSWORD.matcher(text).replaceAll("$1***")).replaceAll("$1***@") : "***";
  }
}

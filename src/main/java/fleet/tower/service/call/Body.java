package fleet.tower.service.call;

/**
 * The body of a call: a record whose components are the members of the JSON object, in snake case. HTTP binds it from
 * JSON. Bean Validation's constraints define which members are required and which numbers they accept; a string must
 * not contain U+0000, which no database stores.
 */
public interface Body {}

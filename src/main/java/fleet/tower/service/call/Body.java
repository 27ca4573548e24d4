package fleet.tower.service.call;

/**
 * The body of a call: a record whose components are the members of the JSON object, in snake case. HTTP binds it from JSON. Bean
 * Validation's constraints say which members are required and which numbers they take; a string must not have U+0000 in it, which
 * no database stores, except where it is {@link AnyText}.
 */
public interface Body {}

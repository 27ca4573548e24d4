// The form of an intent's parameters, from the JSON Schema of their values.
import { html, nothing, type TemplateResult } from "lit";

export type Property = {
  type: "string" | "integer" | "number" | "boolean" | "array" | "object";
  description?: string; enum?: unknown[]; pattern?: string; minimum?: number; maximum?: number; minLength?: number; maxLength?: number;
  default?: unknown; writeOnly?: boolean;
};
export type Schema = { properties: Record<string, Property>; required: string[] };
/** What the fields contain; a field that was never filled in has its default. */
export type Values = Record<string, string>;

const INTEGER = /^-?(?:0|[1-9]\d{0,17})$/;
const NUMBER = /^-?(?:0|[1-9]\d{0,30})(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?$/;
const LONGEST_MATCHED = 2_000;

export function schema(params: unknown): Schema {
  const of = params as Partial<Schema>;
  return { properties: of.properties ?? {}, required: of.required ?? [] };
}

/** A value as the text of its field. */
export function plain(value: unknown): string {
  return value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function defaults({ properties }: Schema): Values {
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, plain(property.default)]));
}

/** Whether a field's text is sent; without it, the default is used. An emptied text with a default is an empty text. */
function isGiven(property: Property, text: string): boolean {
  return text !== "" || (property.type === "string" && !property.enum && plain(property.default) !== "");
}

/** The values as JSON, with numbers as they were typed. */
export function json({ properties }: Schema, values: Values): string {
  const members = Object.entries(properties).filter(([name, property]) => isGiven(property, values[name] ?? ""))
    .map(([name, property]) => `${JSON.stringify(name)}:${property.type === "string" ? JSON.stringify(values[name]) : values[name]!.trim()}`);
  return `{${members.join(",")}}`;
}

/** Why the values are not valid, by name. The service checks them again, in its own words. */
export function problems({ properties, required }: Schema, values: Values): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, property] of Object.entries(properties)) {
    const text = values[name] ?? "";
    const problem = isGiven(property, text) ? invalid(property, text) : required.includes(name) ? "is required" : "";
    if (problem) found[name] = problem;
  }
  return found;
}

function invalid(property: Property, text: string): string {
  switch (property.type) {
    case "integer":
    case "number": {
      if (!(property.type === "integer" ? INTEGER : NUMBER).test(text.trim())) return `must be ${property.type === "integer" ? "a whole number" : "a number"}`;
      if (property.minimum !== undefined && Number(text) < property.minimum) return `must be at least ${property.minimum}`;
      if (property.maximum !== undefined && Number(text) > property.maximum) return `must be at most ${property.maximum}`;
      break;
    }
    case "array":
    case "object": {
      try {
        const value: unknown = JSON.parse(text);
        if (property.type === "array" ? !Array.isArray(value) : typeof value !== "object" || value === null || Array.isArray(value)) throw new Error();
      } catch {
        return property.type === "array" ? "must be a list in JSON, such as [\"a\", \"b\"]" : "must be an object in JSON, such as {\"a\": 1}";
      }
      break;
    }
    default: break;
  }
  if (property.enum && !property.enum.some((value) => plain(value) === text)) return `must be one of ${property.enum.map(plain).join(", ")}`;
  if (property.minLength !== undefined && text.length < property.minLength) return `must have at least ${property.minLength} characters`;
  if (property.maxLength !== undefined && text.length > property.maxLength) return `must have at most ${property.maxLength} characters`;
  if (property.pattern && text.length <= LONGEST_MATCHED && expression(property.pattern)?.test(text) === false) return `must match ${bare(property.pattern)}`;
  return "";
}

/** A pattern that this browser does not understand is left to the service. */
function expression(pattern: string): RegExp | null {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return null;
  }
}

const bare = (pattern: string) => /^\^\(\?:(.*)\)\$$/s.exec(pattern)?.[1] ?? pattern;

function hint(property: Property): string {
  const { minimum, maximum } = property;
  return [
    property.description,
    minimum !== undefined && maximum !== undefined ? `from ${minimum} to ${maximum}` : minimum !== undefined ? `at least ${minimum}`
      : maximum !== undefined ? `at most ${maximum}` : undefined,
    property.pattern ? `matches ${bare(property.pattern)}` : undefined,
    property.default !== undefined ? `default: ${plain(property.default) || "empty"}` : undefined,
    property.writeOnly ? "secret: never shown, kept or put into the address" : undefined,
  ].filter(Boolean).join("; ");
}

/** One field with its label, hint and problem. */
export function field(name: string, property: Property, isRequired: boolean, text: string, problem: string,
  change: (text: string, isDone: boolean) => void): TemplateResult {
  const id = `param-${name}`;
  const described = `${id}-hint${problem ? ` ${id}-problem` : ""}`;
  const read = (isDone: boolean) => (event: Event) => {
    const input = event.target as HTMLInputElement;
    change(input.type === "checkbox" ? String(input.checked) : input.value, isDone);
  };
  const common = (input: TemplateResult) => html`<div class="field">
    <label for=${id}><code>${name}</code>${isRequired ? html` <span class="quiet">required</span>` : nothing}</label>
    ${input}
    <p class="hint" id="${id}-hint">${hint(property)}</p>
    ${problem ? html`<p class="problem" id="${id}-problem"><strong>${name}</strong> ${problem}</p>` : nothing}</div>`;
  const isInvalid = problem ? "true" : "false";
  if (property.type === "boolean" && property.default !== undefined) {
    return common(html`<input id=${id} name=${id} type="checkbox" .checked=${text === "true"} aria-describedby=${described} aria-invalid=${isInvalid} @change=${read(true)}>`);
  }
  const options = property.enum?.map(plain) ?? (property.type === "boolean" ? ["true", "false"] : null);
  if (options) {
    const isUnknown = text !== "" && !options.includes(text);
    return common(html`<select id=${id} name=${id} aria-describedby=${described} aria-invalid=${isInvalid} aria-required=${isRequired} @change=${read(true)}>
      ${property.default === undefined || isUnknown ? html`<option value="" .selected=${text === ""}>${isRequired ? "choose" : "not given"}</option>` : nothing}
      ${isUnknown ? html`<option .selected=${true}>${text}</option>` : nothing}
      ${options.map((option) => html`<option .selected=${option === text}>${option}</option>`)}</select>`);
  }
  if (property.type === "array" || property.type === "object" || (property.type === "string" && !property.pattern && !property.writeOnly)) {
    return common(html`<textarea id=${id} name=${id} rows="1" .value=${text} aria-describedby=${described} aria-invalid=${isInvalid} aria-required=${isRequired}
      spellcheck="false" autocomplete="off" @input=${read(false)} @change=${read(true)}></textarea>`);
  }
  return common(html`<input id=${id} name=${id} .value=${text} type=${property.writeOnly ? "password" : "text"}
    inputmode=${property.type === "integer" ? "numeric" : property.type === "number" ? "decimal" : "text"}
    autocomplete="off" spellcheck="false" aria-describedby=${described} aria-invalid=${isInvalid} aria-required=${isRequired}
    @input=${read(false)} @change=${read(true)}>`);
}

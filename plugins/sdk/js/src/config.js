// A plugin's configuration: its keys, each with a JSON Schema, and the check against them.

import { keys as set, unknown } from "./known.js";
import { refuse } from "./verdict.js";

/** The words of draft 07. Those that `fit` does not know the engine checks, or people read. */
const KEYWORDS = set([
  "type", "description", "default", "enum", "minimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "maxItems", "items",
  "properties", "required", "additionalProperties", "title", "examples", "const", "format", "multipleOf", "exclusiveMinimum",
  "exclusiveMaximum", "uniqueItems", "contains", "additionalItems", "minProperties", "maxProperties", "patternProperties", "propertyNames",
  "dependencies", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "definitions", "readOnly", "writeOnly", "contentEncoding",
  "contentMediaType", "$id", "$ref", "$schema", "$comment",
]);

/** Throws where a schema has a word that is none: it would have no effect. Words of one's own begin with `x-`. */
export function ensureKeywords(schema, path) {
  for (const key of Object.keys(schema)) {
    if (!(key in KEYWORDS) && !key.startsWith("x-")) throw unknown(path, key, KEYWORDS);
  }
  const { items, properties = {} } = schema;
  for (const [key, inner] of Object.entries(properties)) ensureKeywords(inner, `${path}.${key}`);
  if (typeof items === "object" && !Array.isArray(items)) ensureKeywords(items, `${path}[]`);
}

/** The JSON Schema (draft 07) of a configuration. A key without a default is required. */
export function schemaOf(keys) {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: keys,
    required: Object.keys(keys).filter((key) => keys[key].default === undefined),
    additionalProperties: false,
  };
}

/** The configuration with its defaults; refused, with the key and what was expected there, where it does not fit. */
export function read(keys, given) {
  const whole = { ...given };
  for (const [key, schema] of Object.entries(keys)) {
    if (whole[key] === undefined && schema.default !== undefined) whole[key] = structured(schema.default);
  }
  fit(schemaOf(keys), whole, "config");
  return whole;
}

/** Holds a value against the parts of JSON Schema that are known here; others are for people and editors. */
function fit(schema, value, path) {
  if (schema.type !== undefined) {
    const types = [schema.type].flat();
    if (!types.some((type) => is(type, value))) {
      refuse(`${path}: invalid type: ${shown(value)}, expected ${types.map(named).join(" or ")}`);
    }
  }
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    refuse(`${path}: ${shown(value)}, expected one of ${schema.enum.map(shown).join(", ")}`);
  }
  if (typeof value === "number") {
    if (value < schema.minimum) refuse(`${path}: ${value} is below ${schema.minimum}`);
    if (value > schema.maximum) refuse(`${path}: ${value} is above ${schema.maximum}`);
  }
  if (typeof value === "string") {
    if (value.length < schema.minLength) refuse(`${path}: must have ${schema.minLength} characters or more`);
    if (value.length > schema.maxLength) refuse(`${path}: must have ${schema.maxLength} characters or fewer`);
    if (schema.pattern !== undefined && !new RegExp(schema.pattern, "u").test(value)) {
      refuse(`${path}: does not match ${schema.pattern}`);
    }
  }
  if (Array.isArray(value)) {
    if (value.length < schema.minItems) refuse(`${path}: give at least ${schema.minItems}`);
    if (value.length > schema.maxItems) refuse(`${path}: give at most ${schema.maxItems}`);
    if (schema.items !== undefined) value.forEach((item, at) => fit(schema.items, item, `${path}[${at}]`));
  } else if (typeof value === "object" && value !== null) {
    fitObject(schema, value, path);
  }
}

function fitObject(schema, value, path) {
  const known = schema.properties ?? {};
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(known, key)) {
      fit(known[key], value[key], `${path}.${key}`);
    } else if (schema.additionalProperties === false) {
      const names = Object.keys(known).map((name) => `\`${name}\``);
      const expected = names.length === 0 ? "there are no fields" : `expected ${names.length > 1 ? "one of " : ""}${names.join(", ")}`;
      refuse(`${path}.${key}: unknown field \`${key}\`, ${expected}`);
    }
  }
  for (const key of schema.required ?? []) if (!Object.hasOwn(value, key)) refuse(`${path}: missing field \`${key}\``);
}

function is(type, value) {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "integer":
      return Number.isSafeInteger(value);
    default:
      return typeof value === type;
  }
}

function named(type) {
  return { string: "a string", integer: "an integer", number: "a number", boolean: "true or false", array: "a list", object: "a table" }[type] ?? type;
}

function shown(value) {
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** A copy, so that no plan changes another's default. */
function structured(value) {
  return JSON.parse(JSON.stringify(value));
}

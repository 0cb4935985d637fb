// A value from the configuration or from setup.

import { refuse } from "engine-sdk";

/** The configured value, else what `login` shared under this key; refused, with what to do, where neither is there. */
export function given(key, configured, shared, sharedKey) {
  const found = configured ?? shared[sharedKey] ?? null;
  if (found === null) refuse(`config.${key}: missing; add [[setup]] plugin = "login", or give it here`);
  if (typeof found !== "string") {
    refuse(`shared.${sharedKey}: invalid type: ${JSON.stringify(found)}, expected a string`);
  }
  if (found === "") refuse(`config.${key}: must not be empty`);
  return found;
}

/** Refuses what could not stand in a request field. The value is never shown. */
export function printable(key, value) {
  if (!/^[\x21-\x7e]*$/.test(value)) refuse(`config.${key}: must be printable ASCII without spaces`);
}

/** JSON that may be something else. */

/** Reads JSON. Returns `undefined` for a text that is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

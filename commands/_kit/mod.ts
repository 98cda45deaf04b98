/** What a command file may use. */

export type { Command, Context, Group } from "./command.ts";
export { formatDuration } from "./duration.ts";
export {
  choice,
  count,
  duration,
  integer,
  optionalWord,
  rest,
  stringArray,
  strings,
  text,
  toggle,
  word,
} from "./inputs.ts";
export type { Column } from "./view.ts";
export { bytes, lines, table, tableBy, textual } from "./view.ts";

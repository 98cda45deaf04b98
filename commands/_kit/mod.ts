/** What a command file may use. */

export type { AnyCommand, Command, Context, Group } from "./command.ts";
export { formatDuration } from "../../config/duration.ts";
export type { Flag, Values } from "./inputs.ts";
export {
  choice,
  count,
  duration,
  InputProblem,
  integer,
  optionalWord,
  rest,
  stringArray,
  strings,
  text,
  toggle,
  word,
} from "./inputs.ts";
export { cell } from "../../terminal/terminal_text.ts";
export { notEmpty, requiredChoice, requiredText } from "./required.ts";
export { silently } from "./no_rows.ts";
export type { Column, View } from "../../terminal/view.ts";
export type { Format } from "../../terminal/format.ts";
export { outputFlag } from "./output.ts";
export {
  bytes,
  headedTable,
  lines,
  table,
  tableBy,
  textual,
} from "../../terminal/view.ts";
export type { Environment, Size } from "../../terminal/environment.ts";
export { layOut } from "../../terminal/table.ts";
export {
  age,
  binaryBytesText,
  bytesText,
  goTime,
  relativeTime,
} from "../../terminal/units.ts";

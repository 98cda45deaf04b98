/** What a command file may use. */

export type { Command, Context, Group } from "./command.ts";
export { formatDuration } from "../../config/duration.ts";
export type { Flag } from "./inputs.ts";
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
export { cell } from "./plain.ts";
export { notEmpty, requiredChoice, requiredText } from "./required.ts";
export { silently } from "./silent.ts";
export type { Column, View } from "./view.ts";
export type { Format } from "./format.ts";
export { outputFlag } from "./output.ts";
export { bytes, headedTable, lines, table, tableBy, textual } from "./view.ts";
export type { Size, World } from "./world.ts";
export { layOut } from "./table.ts";
export {
  age,
  binaryBytesText,
  bytesText,
  goTime,
  relativeTime,
} from "./units.ts";

/** API for command files; commands that change nodes also use `operate.ts`. */

export {
  type AnyCommand,
  type Command,
  type CommandGroup,
  type Context,
  LineBlock,
  type Rows,
  silently,
} from "./command.ts";
export { type Globals, outputFlag } from "./globals.ts";
export { globalOptions } from "./help.ts";
export { imageName, imageRepository } from "./image_input.ts";
export {
  type Argument,
  choice,
  count,
  duration,
  type Flag,
  InputProblem,
  integer,
  notEmpty,
  optionalWord,
  requiredChoice,
  requiredText,
  restArgument as rest,
  stringArray,
  strings,
  text,
  toggle,
  type Values,
  word,
  yesFlag,
} from "./inputs.ts";
export type { Environment, Size } from "../../terminal/environment.ts";
export type { Format } from "../../terminal/format.ts";
export { layOut } from "../../terminal/table.ts";
export { cell } from "../../terminal/terminal_text.ts";
export {
  diffTone,
  logTone,
  progressTone,
  stateTone,
  type Tone,
} from "../../terminal/tone.ts";
export { age, bytesText, goTime, relativeTime } from "../../terminal/units.ts";
export {
  bytes,
  clusterTable,
  type Column,
  type ColumnSpec,
  type ColumnTable,
  headedTable,
  leastPriority,
  lines,
  table,
  tableBy,
  textual,
  type View,
} from "../../terminal/view.ts";

/** A long log that takes no memory. */

import {
  createHistory,
  type HistoryBuffer,
} from "../../simulator/wire/history_buffer.ts";

/** Makes a log whose lines are made when they are read. */
export function virtualLog(lines: number): HistoryBuffer<string> {
  return {
    ...createHistory<string>(1),
    first: () => 0,
    end: () => lines,
    at: (position) =>
      `${
        String(position).padStart(10, "0")
      } level=info msg="an ordinary line of an ordinary log"`,
  };
}

/** How the ends of operations look. */

import type { OutcomeRow } from "./operate.ts";
import { table, type TableView } from "./view.ts";

/** One line for each node. */
export const outcomeView: TableView<OutcomeRow> = table({
  NODE: ({ node }) => node,
  OUTCOME: ({ outcome }) => outcome,
  REASON: ({ reason }) => reason,
});

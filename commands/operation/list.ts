import { locateOperations } from "../../config/osconfig/location.ts";
import {
  type JournalHistory,
  unsettled,
} from "../../workflows/operations/journal.ts";
import {
  type ListedJournal,
  listJournals,
} from "../../workflows/operations/journal_file.ts";
import {
  age,
  type Command,
  headedTable,
  toggle,
  type Values,
} from "../_kit/mod.ts";

type OperationState =
  | "running"
  | "interrupted"
  | "unfinished"
  | "ended";

interface OperationRow {
  /** Id for `osctl operation resume`. */
  readonly id: string;
  readonly operation: string;
  readonly context: string;
  /**
   * `running` in another process, `interrupted` if its client was killed,
   * `unfinished` if the client aborted, or `ended`.
   */
  readonly state: OperationState;
  /** Start time, ISO 8601. */
  readonly startedAt: string;
  readonly finished: number;
  readonly nodes: readonly string[];
}

const inputs = {
  all: toggle("also list finished operations", { short: "a" }),
};

export const command = {
  summary: "List unfinished operations",
  description:
    `Operations that stop or wipe a node are recorded in a journal before anything is sent. If the client dies, or times
out before a node is done, the operation is listed here until "osctl operation resume" finishes it. Finished operations
are kept for 30 days.`,
  inputs,
  empty: "There are no unfinished operations; --all also lists finished ones",
  examples: ["operation list", "operation list --all -o json"],
  view: (_, { now }) =>
    headedTable<OperationRow>({
      ID: ({ id }) => id,
      OPERATION: ({ operation }) => operation,
      CONTEXT: ({ context }) => context,
      STATE: ({ state }) => state,
      STARTED: {
        cell: ({ startedAt }) => age(startedAt, now()),
        value: ({ startedAt }) => startedAt,
      },
      FINISHED: ({ finished, nodes }) => `${finished}/${nodes.length}`,
    }),
  async *run({ input: { all }, environment }) {
    const listed = await listJournals(locateOperations(environment.env));
    for (const journal of listed) {
      const row = toRow(journal);
      if (all || row.state !== "ended") yield row;
    }
  },
} satisfies Command<OperationRow, Values<typeof inputs>>;

function toRow({ id, history, held }: ListedJournal): OperationRow {
  const { begin, nodes } = history;
  const finished = [...nodes.values()].filter(({ outcome }) =>
    outcome !== undefined && !unsettled.has(outcome)
  );
  return {
    id,
    operation: begin.operation,
    context: begin.context,
    state: held ? "running" : findState(history),
    startedAt: begin.at,
    finished: finished.length,
    nodes: begin.nodes,
  };
}

function findState({ ended, closed }: JournalHistory): OperationState {
  if (ended) return "ended";
  return closed ? "unfinished" : "interrupted";
}

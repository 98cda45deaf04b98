import { configurationHash } from "../../../config/change/configuration_hash.ts";
import { staticAddresses } from "../../../config/change/unique_values.ts";
import { rebootNeed } from "../../../config/change/reboot_need.ts";
import type { ConfigDocument } from "../../../config/documents/load.ts";
import {
  type ApplyConfiguration,
  ApplyConfigurationRequest_Mode as Mode,
} from "../../../transport/gen/machine_configuration.ts";
import { enumName } from "../../../transport/node/enum_name.ts";
import type { Intended } from "../../configuration/guards.ts";
import type { OutcomeRow } from "../change.ts";
import type { AnyOperation } from "../operation.ts";
import {
  applyConfig,
  type ApplyInput,
  type ApplySource,
} from "./apply_config.ts";

/** A node with its new configuration. */
export interface NodeChange extends Intended {
  /** The new configuration, YAML. */
  readonly text: string;
  /** True when made from the running configuration, which must not have changed since. */
  readonly isDerived: boolean;
}

/** Outcome of applying a configuration to one node. Source: `MachineService.ApplyConfiguration`. */
export interface AppliedRow extends OutcomeRow {
  /** Mode chosen by the node: `auto`, `no-reboot`, `reboot`, `staged`, `try`. */
  readonly mode: string;
  /** Details from the node; may have several lines. */
  readonly details: string;
  readonly warnings: readonly string[];
}

interface ApplySettings
  extends
    Pick<ApplyInput, "mode" | "tryMs" | "confirm" | "checks">,
    Pick<ApplySource, "dial" | "maintenance"> {
  /** New addresses of the node; default the static ones of its configuration. */
  readonly addresses?: readonly string[];
}

interface PreparedApply {
  readonly operation: AnyOperation;
  readonly chooseOperation: (node: string) => AnyOperation;
  readonly input: ApplyInput;
  readonly toRow: (row: OutcomeRow) => AppliedRow;
}

/** Prepares applying new configurations; only nodes that will reboot are disrupted. */
export async function changeConfigurations(
  changes: readonly NodeChange[],
  { dial, maintenance = false, addresses, ...settings }: ApplySettings,
): Promise<PreparedApply> {
  const { mode } = settings;
  const texts = new Map(changes.map(({ node, text }) => [node, text]));
  const answers = new Map<string, ApplyConfiguration>();
  const source: ApplySource = {
    findText: (node) => texts.get(node),
    ...dial && { dial },
    answered: (node, answer) => void answers.set(node, answer),
    maintenance,
  };
  const rebooting = applyConfig(source, true);
  const writing = applyConfig(source, false);
  const reboots = new Set(
    changes.filter((change) => !maintenance && needsReboot(change, mode))
      .map(({ node }) => node),
  );
  return {
    operation: reboots.size > 0 ? rebooting : writing,
    chooseOperation: (node) => reboots.has(node) ? rebooting : writing,
    input: {
      ...settings,
      ...await hashConfigurations(changes),
      // Without new connections, the node is not looked for elsewhere.
      ...planMoves(dial === undefined ? [] : changes, addresses),
    },
    toRow(row) {
      const answer = answers.get(row.node);
      return {
        ...row,
        mode: answer === undefined
          ? mode
          : enumName(Mode, answer.mode).toLowerCase().replaceAll("_", "-"),
        details: answer?.modeDetails ?? "",
        warnings: answer?.warnings ?? [],
      };
    },
  };
}

function needsReboot(
  { live, wanted, version }: NodeChange,
  mode: ApplyInput["mode"],
): boolean {
  if (mode !== "auto") return mode === "reboot";
  return rebootNeed(live?.documents ?? [], wanted, version).length > 0;
}

/** Hashes a configuration that several nodes share once. */
async function hashConfigurations(
  changes: readonly NodeChange[],
): Promise<Pick<ApplyInput, "wanted" | "madeFrom">> {
  const hashes = new Map<readonly ConfigDocument[], string>();
  const hash = async (documents: readonly ConfigDocument[]) => {
    const text = hashes.get(documents) ?? await configurationHash(documents);
    hashes.set(documents, text);
    return text;
  };
  const wanted: [string, string][] = [];
  const madeFrom: [string, string][] = [];
  for (const { node, live, isDerived, ...change } of changes) {
    wanted.push([node, await hash(change.wanted)]);
    if (isDerived && live) madeFrom.push([node, await hash(live.documents)]);
  }
  return {
    wanted: Object.fromEntries(wanted),
    madeFrom: Object.fromEntries(madeFrom),
  };
}

function planMoves(
  changes: readonly NodeChange[],
  expected: readonly string[] = [],
): Pick<ApplyInput, "places" | "moving"> {
  const moves = changes.map(({ node, live, wanted }) => {
    if (expected.length > 0) return { node, places: expected, leaves: true };
    const old = staticAddresses(live?.documents ?? []);
    const now = staticAddresses(wanted);
    const places = now.filter((address) => !old.includes(address));
    return { node, places, leaves: old.includes(node) && !now.includes(node) };
  });
  return {
    places: Object.fromEntries(moves.map(({ node, places }) => [node, places])),
    moving: moves.filter(({ leaves }) => leaves).map(({ node }) => node),
  };
}

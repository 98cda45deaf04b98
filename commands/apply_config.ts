import { encodeDocuments } from "../config/documents/encode.ts";
import { loadDocuments } from "../config/documents/load.ts";
import { refuse } from "../config/documents/refusal.ts";
import { applyPatches } from "../config/patch.ts";
import { ConfigError } from "../errors.ts";
import { enumName } from "../transport/enum_name.ts";
import { ApplyConfigurationRequest_Mode as Mode } from "../transport/gen/machine.ts";
import { single } from "../transport/reply.ts";
import {
  choice,
  type Command,
  type Context,
  duration,
  requiredText,
  textual,
  toggle,
} from "./_kit/mod.ts";
import {
  type MaintenanceInputs,
  maintenanceInputs,
} from "./_kit/maintenance.ts";
import { patchFlag, readConfiguration, readPatches } from "./_kit/patches.ts";

const modes = {
  auto: Mode.AUTO,
  "no-reboot": Mode.NO_REBOOT,
  reboot: Mode.REBOOT,
  staged: Mode.STAGED,
  try: Mode.TRY,
} as const;

/** How a configuration takes effect. */
export type ApplyMode = keyof typeof modes;

/** Inputs of the command. */
export interface ApplyConfigInputs extends MaintenanceInputs {
  /** `--file`. */
  readonly file: string;
  /** `--config-patch`. */
  readonly configPatch: readonly string[];
  /** `--mode`. */
  readonly mode: ApplyMode;
  /** `--dry-run`. */
  readonly dryRun: boolean;
  /** `--timeout`, in milliseconds. */
  readonly timeout: number;
}

/** What one node did. Source: `MachineService.ApplyConfiguration`. */
export interface AppliedRow {
  /** Node that took the configuration. */
  readonly node: string;
  /** How it takes effect, as the node decided: `auto`, `no-reboot`, `reboot`, `staged`, `try`. */
  readonly mode: string;
  /** What the node said about it; may have several lines. */
  readonly details: string;
  /** What the node finds questionable. */
  readonly warnings: readonly string[];
}

/** `osctl apply-config`: gives nodes a configuration. */
export const command: Command<AppliedRow, ApplyConfigInputs> = {
  summary: "Apply a configuration to nodes",
  description:
    `The configuration is read and patched here, and checked by the node. A node without one is given it with --insecure:
the connection is encrypted, but nobody is authenticated unless --cert-fingerprint names the node's certificate.
What the nodes say is shown on standard error.`,
  inputs: {
    file: requiredText('configuration, "-" for standard input', {
      short: "f",
      complete: "files",
    }),
    configPatch: patchFlag("patch for the configuration before it is sent", {
      short: "p",
    }),
    mode: choice(
      "how it takes effect",
      ["auto", "no-reboot", "reboot", "staged", "try"],
      { short: "m", initial: "auto" },
    ),
    dryRun: toggle("only say what would be done"),
    timeout: duration("time after which a node goes back, with --mode try", {
      initial: "1m0s",
    }),
    ...maintenanceInputs,
  },
  examples: [
    "apply-config --file controlplane.yaml --nodes 10.0.0.2",
    "apply-config --insecure --file worker.yaml --nodes 10.0.0.5,10.0.0.6",
  ],
  view: textual(() => ""),
  async *run(context) {
    const { input: { mode, dryRun, timeout }, nodes, note } = context;
    const data = new TextEncoder().encode(await configuration(context));
    const tryModeTimeout = {
      seconds: BigInt(Math.floor(timeout / 1000)),
      nanos: timeout % 1000 * 1_000_000,
    };
    const request = { data, mode: modes[mode], dryRun, tryModeTimeout };
    const answers = nodes.call(async ({ machine }) =>
      single((await machine.applyConfiguration(request)).messages)
    );
    for await (const { node, value } of answers) {
      const { modeDetails: details, warnings } = value;
      for (const text of warnings) note(`${node}: WARNING: ${text}`);
      if (details !== "") note(`${node}: ${details}`);
      const mode = enumName(Mode, value.mode).toLowerCase().replace("_", "-");
      yield { node, mode, details, warnings };
    }
  },
};

/** Text that is sent; as the user wrote it when there are no patches. */
async function configuration(
  context: Context<ApplyConfigInputs>,
): Promise<string> {
  const { input: { file, configPatch }, note } = context;
  const source = await readConfiguration(file, context);
  const patches = await readPatches(configPatch, context);
  const { documents, problems } = loadDocuments(source.text, source.name);
  refuse(`"${source.name}"`, problems);
  if (documents.length === 0) {
    throw new ConfigError(`Cannot apply "${source.name}": it is empty`);
  }
  if (patches.length === 0) return source.text;
  const { documents: patched, notes } = applyPatches(documents, patches);
  for (const text of notes) note(text);
  return encodeDocuments(patched);
}

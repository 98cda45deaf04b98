/** Values of the META partition, stored besides the configuration. */

import { domain } from "../../../talos.ts";
import type {
  NodeContext,
  Operation,
  Reconciled,
  Verdict,
} from "../operation.ts";
import { readSpecs } from "../../../transport/node/read_resource.ts";
import { confirmOutcome, type LookResult, untilSeen } from "../poll.ts";

type MetaWriteInput = {
  readonly key: number;
  readonly value: string;
};

type MetaDeleteInput = Pick<MetaWriteInput, "key">;

interface MetaSeen {
  /** False when this role may not list the keys. */
  readonly readable: boolean;
  /** Value; `undefined` if there is none. */
  readonly value: string | undefined;
}

/** Timeout for the write, in milliseconds. */
const deadlineMs = 30_000;

/** `meta write`. Source: `MachineService.MetaWrite`. */
export const metaWrite: Operation<MetaWriteInput, MetaSeen, null> = {
  name: "meta write",
  effect: "write",
  idempotency: "converge",
  quorum: () => "none",
  observe: readMeta,
  plan: (seen, { key, value }) =>
    seen.value === value ? [] : [{ action: `write META key ${formatId(key)}` }],
  key: () => null,
  async *apply({ client }, { key, value }) {
    yield { text: `writing META key ${formatId(key)}` };
    const bytes = new TextEncoder().encode(value);
    await client.machine.metaWrite({ key, value: bytes }, { deadlineMs });
  },
  reconcile: (context, input) => reconcileMeta(context, input, input.value),
  verify: (context, input) => untilIs(context, input, input.value),
};

/** `meta delete`. Source: `MachineService.MetaDelete`. */
export const metaDelete: Operation<MetaDeleteInput, MetaSeen, null> = {
  name: "meta delete",
  effect: "write",
  idempotency: "converge",
  quorum: () => "none",
  observe: readMeta,
  plan: ({ readable, value }, { key }) =>
    readable && value === undefined
      ? []
      : [{ action: `delete META key ${formatId(key)}` }],
  key: () => null,
  async *apply({ client }, { key }) {
    yield { text: `deleting META key ${formatId(key)}` };
    await client.machine.metaDelete({ key }, { deadlineMs });
  },
  reconcile: (context, input) => reconcileMeta(context, input, undefined),
  verify: (context, input) => untilIs(context, input, undefined),
};

async function readMeta(
  { client }: Pick<NodeContext, "client">,
  { key }: MetaDeleteInput,
): Promise<MetaSeen> {
  const keys = await readSpecs(client, {
    namespace: "runtime",
    type: `MetaKeys.runtime.${domain}`,
  });
  const spec = keys?.get(formatId(key));
  return {
    readable: keys !== undefined,
    value: spec === undefined ? undefined : String(spec.value ?? ""),
  };
}

async function reconcileMeta(
  context: NodeContext,
  input: MetaDeleteInput,
  wanted: string | undefined,
): Promise<Reconciled> {
  let isReadable = true;
  const found = await confirmOutcome(context, async () => {
    const { readable, value } = await readMeta(context, input);
    isReadable = readable;
    return !readable || value === wanted;
  });
  return isReadable ? found : "unknown";
}

function untilIs(
  context: NodeContext,
  input: MetaDeleteInput,
  wanted: string | undefined,
) {
  return untilSeen(context, async (): Promise<LookResult> => {
    const { readable, value } = await readMeta(context, input);
    if (!readable) return { verdict: unseen };
    const id = formatId(input.key);
    if (value !== wanted) {
      return { missing: `META key ${id} is not written yet` };
    }
    const reason = `META key ${id} is ${
      wanted === undefined ? "deleted" : "written"
    }`;
    return { verdict: { outcome: "done", reason } };
  });
}

const unseen: Verdict = {
  outcome: "accepted",
  reason: "accepted by the node, which does not list its keys",
};

/** Id of the resource of a key: `0x0a`. */
function formatId(key: number): string {
  return `0x${key.toString(16).padStart(2, "0")}`;
}

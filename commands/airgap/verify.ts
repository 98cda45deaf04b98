import {
  CancelledError,
  exitStatus,
  OutcomeError,
  UsageError,
} from "../../errors.ts";
import { parsePlace } from "../../workflows/airgap/image_location.ts";
import { placeStore } from "../../workflows/airgap/image_store.ts";
import { openLayout } from "../../workflows/airgap/layout_store.ts";
import type { ClosureImage } from "../../workflows/airgap/closure.ts";
import { verifyMirror } from "../../workflows/airgap/verify_mirror.ts";
import { verifyNode } from "../../workflows/airgap/verify_nodes.ts";
import { namesNodes } from "../_kit/globals.ts";
import {
  choice,
  type Command,
  type Context,
  duration,
  table,
  text,
  type Tone,
  type Values,
} from "../_kit/mod.ts";
import {
  closureInputs,
  clusterNodes,
  findClosure,
  openRegistries,
  registryInputs,
} from "./_inputs.ts";

/** An image in the mirror, or on one node. */
interface AirgapVerifyRow {
  readonly node: string;
  readonly image: string;
  /** Digest of its manifest or index; null if unknown. */
  readonly digest: string | null;
  /** `ok`, `missing`, `different` or `failed` in the mirror; `pulled`, `present`, `reachable`, `failed` or `unknown` on a node. */
  readonly state: string;
  /** Problem; empty if there is none. */
  readonly reason: string;
}

const inputs = {
  ...closureInputs,
  mirror: text("registry or directory that must have the images"),
  pull: choice(
    "images that a node pulls: remove them again, keep them, or never pull",
    ["remove", "keep", "never"],
    { initial: "remove" },
  ),
  pullTimeout: duration("timeout for each image on a node", {
    initial: "5m0s",
  }),
  ...registryInputs,
};

type VerifyInputs = Values<typeof inputs>;

const good: ReadonlySet<string> = new Set([
  "ok",
  "pulled",
  "present",
  "reachable",
]);

export const command = {
  summary:
    "Check that a mirror has every image and that every node can pull it",
  description:
    `With --mirror, each image that "osctl airgap images" lists must be in the mirror, complete and with its digest. Then every
node (those of --nodes, if given) pulls each image that it does not have, by digest, through the mirrors of its own
configuration, and removes it again. The state is "present" where a node has the image: it would not ask the mirror.

Nodes before v1.13 cannot remove images, so they do not pull. With --mirror, the state of an image that the mirror has and
the node does not is "reachable" where a registry answers the node for the repository, with the certificates and
credentials of its configuration; otherwise it is "unknown". To have such nodes pull, use --pull keep: it leaves the
images on the nodes, which must be named with --nodes.

The status is 3 if an image is missing, different, cannot be pulled or is unknown.`,
  inputs,
  examples: [
    "airgap verify --mirror registry.example.com:5000 --ca-file ca.crt",
    "airgap verify --image-list images.txt --mirror /media/usb/images --pull never",
    "airgap verify --to-os v1.13.9 --to-kubernetes v1.35.0 --pull keep --nodes @all",
  ],
  writes: true,
  view: table<AirgapVerifyRow>({
    NODE: { cell: ({ node }) => node, name: true },
    IMAGE: { cell: ({ image }) => image, name: true },
    DIGEST: { cell: ({ digest }) => digest ?? "", priority: 9 },
    STATE: {
      cell: ({ state }) => state,
      tone: ({ state }) => chooseTone(state),
    },
    REASON: { cell: ({ reason }) => reason, prose: true },
  }),
  run: verify,
} satisfies Command<AirgapVerifyRow, VerifyInputs>;

function chooseTone(state: string): Tone {
  return good.has(state) ? "good" : state === "unknown" ? "changing" : "bad";
}

async function* verify(
  context: Context<VerifyInputs>,
): AsyncGenerator<AirgapVerifyRow> {
  const { input, globals } = context;
  if (input.pull === "keep" && !namesNodes(globals)) {
    throw new UsageError("--pull keep changes nodes, and none are named", {
      hint: "Name them with --nodes, such as --nodes @all",
    });
  }
  if (input.pull === "never" && input.mirror === undefined) {
    throw new UsageError("Nothing to check: --pull never needs --mirror");
  }
  const { images: found, failure } = await findClosure(context, false);
  let [images, checked, bad] = [found, 0, 0];
  const mirrored = new Set<ClosureImage>();
  const count = (row: AirgapVerifyRow): AirgapVerifyRow => {
    checked++;
    if (!good.has(row.state)) bad++;
    return row;
  };
  if (input.mirror !== undefined) {
    const checks = await inMirror(input.mirror, images, context);
    for (const { image, state, reason } of checks) {
      const row = toRow(image, { node: input.mirror, state, reason });
      if (state === "ok") mirrored.add(image);
      yield count(row);
    }
    // Nodes check the images the mirror has under a tag.
    images = checks.map(({ image }) => image);
  }
  if (input.pull !== "never") {
    for await (const row of onNodes(images, mirrored, context)) {
      yield count(row);
    }
  }
  if (failure !== undefined) throw failure;
  if (bad === 0) return;
  throw new OutcomeError(
    "incomplete",
    `${bad} of ${checked} checks did not pass`,
    exitStatus.partial,
  );
}

async function inMirror(
  mirror: string,
  images: readonly ClosureImage[],
  context: Context<VerifyInputs>,
): ReturnType<typeof verifyMirror> {
  const { signal } = context;
  const place = parsePlace(mirror);
  using registries = await openRegistries(context);
  const store = place.kind === "directory"
    ? await openLayout(place.path, "read")
    : placeStore(place, {
      registry: registries.registry,
      // Only manifests are fetched.
      folder: "",
      progress() {},
      signal,
    });
  return await verifyMirror(images, store, signal);
}

async function* onNodes(
  images: readonly ClosureImage[],
  mirrored: ReadonlySet<ClosureImage>,
  context: Context<VerifyInputs>,
): AsyncGenerator<AirgapVerifyRow> {
  const { input } = context;
  const keep = input.pull === "keep";
  const nodes = clusterNodes(context);
  const signal = keep ? context.signal : onInterruptStop(context);
  const options = { deadlineMs: input.pullTimeout, keep, mirrored, signal };
  try {
    const answers = nodes.stream((client) =>
      verifyNode(client, images, options)
    );
    for await (const { node, value: { image, state, reason } } of answers) {
      yield toRow(image, { node, state, reason });
    }
  } catch (error) {
    // Each node has finished, including cleanup.
    signal.throwIfAborted();
    throw error;
  } finally {
    if (nodes !== context.nodes) nodes.close();
  }
}

/** Aborts pulls, but not the removal of pulled images; a second interrupt aborts that, too. */
function onInterruptStop(
  { claimSignals, signal, note }: Context<unknown>,
): AbortSignal {
  const stop = new AbortController();
  claimSignals?.((name) => {
    const [kind, status] = name === "SIGINT"
      ? ["SIGINT", exitStatus.interrupted] as const
      : ["SIGTERM", exitStatus.terminated] as const;
    if (stop.signal.aborted) return status;
    note("Removing what was pulled; interrupt again to leave it there");
    stop.abort(new CancelledError(kind));
    return undefined;
  });
  return AbortSignal.any([stop.signal, signal]);
}

function toRow(
  { name, digest }: ClosureImage,
  rest: Pick<AirgapVerifyRow, "node" | "state" | "reason">,
): AirgapVerifyRow {
  const { node, state, reason } = rest;
  return { node, image: name, digest: digest ?? null, state, reason };
}

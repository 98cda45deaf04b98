import {
  type ClosureImage,
  reference,
} from "../../workflows/airgap/closure.ts";
import { withDigests } from "../../workflows/airgap/digests.ts";
import {
  mirrorReference,
  ownReference,
  parsePlace,
} from "../../workflows/airgap/image_location.ts";
import { UsageError } from "../../errors.ts";
import {
  choice,
  type Command,
  type Context,
  type Flag,
  lines,
  table,
  text,
  toggle,
  type Values,
} from "../_kit/mod.ts";
import {
  closureInputs,
  findClosure,
  openRegistries,
  registryInputs,
} from "./_inputs.ts";

interface AirgapImageRow {
  readonly image: string;
  /** Digest of its manifest or index; null if unknown. */
  readonly digest: string | null;
  readonly sources: readonly string[];
}

type ListForm = "none" | "pinned" | "tags" | "digests";

const list: Flag<ListForm> = {
  ...choice<ListForm>(
    "print only references for other tools, one per line: pinned (name:tag@digest), tags or digests",
    ["pinned", "tags", "digests"],
    { initial: "none", shown: "" },
  ),
  bare: "pinned",
};

const inputs = {
  ...closureInputs,
  digests: toggle(
    "query the registries of the images for digests that no node has",
  ),
  mirror: text("registry to query for digests instead"),
  list,
  ...registryInputs,
};

type ImagesInputs = Values<typeof inputs>;

export const command = {
  summary: "List every image that a cluster needs",
  description:
    `Reads machine configurations, renders those of a site (a directory with site.yaml or topf.yaml), or asks all nodes of the
cluster (those of --nodes, if given): the installer with its schematic, extensions, Kubernetes, etcd, CoreDNS, the CNI, pod sandboxes, static pods, inline manifests and all
containers that run. --to-os and --to-kubernetes add what an upgrade pulls. For components without an image
in the configuration, the default of the operating system release is listed. Manifests with a URL are not read; they are
listed on standard error.

Nodes know the digests of the images they have. No registry is contacted unless --digests or --mirror is given.`,
  inputs,
  examples: [
    "airgap images --to-os v1.13.9 --to-kubernetes v1.35.0",
    "airgap images controlplane.yaml worker.yaml --digests",
    "airgap images lab --to-os v1.13.9",
    "airgap images --list > images.txt",
  ],
  view: ({ list }) =>
    list === "none"
      ? table({
        IMAGE: { cell: ({ image }) => image, name: true },
        DIGEST: { cell: ({ digest }) => digest ?? "", priority: 9 },
        SOURCE: { cell: sourceText, priority: 1, prose: true },
      })
      : lines((row) => formatReference(row, list)),
  run: images,
} satisfies Command<AirgapImageRow, ImagesInputs>;

async function* images(
  context: Context<ImagesInputs>,
): AsyncGenerator<AirgapImageRow> {
  const { input } = context;
  const { images, failure } = await findClosure(context);
  const all = input.digests || input.mirror !== undefined
    ? await lookedUp(images, context)
    : images;
  for (const { name, digest, sources } of all) {
    yield { image: name, digest: digest ?? null, sources };
  }
  if (failure !== undefined) throw failure;
}

async function lookedUp(
  images: readonly ClosureImage[],
  context: Context<ImagesInputs>,
): Promise<readonly ClosureImage[]> {
  const { input: { mirror }, note, signal } = context;
  const place = mirror === undefined ? undefined : parsePlace(mirror);
  if (place?.kind === "directory") {
    throw new UsageError(`"${mirror}" is not a registry`);
  }
  using registries = await openRegistries(context);
  return await withDigests(images, {
    registry: registries.registry,
    toReference: (image) =>
      place === undefined ? ownReference(image) : mirrorReference(image, place),
    signal,
    onFailure: ({ name }, { message }) =>
      note(`warning: Digest of ${name} is unknown: ${message}`),
  });
}

function formatReference(
  { image: name, digest }: AirgapImageRow,
  form: ListForm,
): string {
  if (digest === null || form === "tags") return name;
  if (form === "pinned") return reference({ name, digest });
  const slash = name.lastIndexOf("/");
  return `${name.slice(0, slash)}${
    name.slice(slash).replace(/:.*$/, "")
  }@${digest}`;
}

function sourceText(
  { sources: [first = "", ...others] }: AirgapImageRow,
): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

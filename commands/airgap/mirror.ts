import { temporaryFolder } from "../../lib/files/temporary.ts";
import { exitStatus, OutcomeError, UsageError } from "../../errors.ts";
import type { ClosureImage } from "../../workflows/airgap/closure.ts";
import {
  copyImages,
  type CopyOptions,
} from "../../workflows/airgap/copy_images.ts";
import { parsePlace } from "../../workflows/airgap/image_location.ts";
import {
  placeStore,
  type RegistryStoreOptions,
} from "../../workflows/airgap/image_store.ts";
import { openLayout } from "../../workflows/airgap/layout_store.ts";
import {
  bytesText,
  type Command,
  type Context,
  InputProblem,
  requiredText,
  stateTone,
  strings,
  table,
  text,
  type Values,
} from "../_kit/mod.ts";
import {
  type Closure,
  closureInputs,
  findClosure,
  openRegistries,
  registryInputs,
} from "./_inputs.ts";

/** An image to copy. */
interface AirgapMirrorRow {
  readonly image: string;
  /** Digest of its manifest or index; null if unknown. */
  readonly digest: string | null;
  /** `copied`, `kept` if complete before, or `failed`. */
  readonly state: "copied" | "kept" | "failed";
  /** Copied platforms; empty for a single-platform image. */
  readonly platforms: readonly string[];
  /** Copied bytes. */
  readonly bytes: number;
  /** Error; empty on success. */
  readonly reason: string;
}

const every = "all";

const inputs = {
  ...closureInputs,
  to: requiredText(
    "registry, such as registry.example.com:5000/mirror, or directory to copy to",
  ),
  from: text(
    "registry or directory to copy from instead of the registries of the images",
  ),
  platform: {
    ...strings("platforms, such as linux/amd64, or all", { initial: [every] }),
    parse(value: string, before: readonly string[] | undefined) {
      const all = value.split(",").map((one) => one.trim());
      const wrong = all.find((one) =>
        one !== every && !/^[a-z]+\/[a-z0-9]+(\/v\d)?$/.test(one)
      );
      if (wrong === undefined) return [...before ?? [], ...all];
      throw new InputProblem("must be all, or platforms such as linux/amd64");
    },
  },
  ...registryInputs,
};

type MirrorInputs = Values<typeof inputs>;

export const command = {
  summary: "Copy every image that a cluster needs to a registry or directory",
  description:
    `Copies the images that "osctl airgap images" lists, by digest. A directory becomes an OCI layout, which other tools can
read too. --from with such a directory copies all of its images unless configurations, a list or nodes are given. A path
begins with /, ./ or ../; a registry has a dot or a port, or begins with https:// or http://.

In a registry, images keep their repository without the original registry, the way nodes request them from a mirror:
registry.k8s.io/kube-proxy:v1.35.0 becomes REGISTRY/kube-proxy:v1.35.0. Most registries accept only images with all of
their platforms; use --platform with a directory, or with a registry that accepts some of them.

Run the same command again to resume: images that are already there are checked and not copied again. Credentials are
read from the Docker configuration, as for "osctl image cache-create".`,
  inputs,
  examples: [
    "airgap mirror --to-os v1.13.9 --to-kubernetes v1.35.0 --to /media/usb/images",
    "airgap mirror --from /media/usb/images --to registry.example.com:5000 --ca-file ca.crt",
    "airgap mirror --image-list images.txt --to ./images --platform linux/amd64,linux/arm64",
  ],
  writes: true,
  view: table<AirgapMirrorRow>({
    IMAGE: { cell: ({ image }) => image, name: true },
    DIGEST: { cell: ({ digest }) => digest ?? "", priority: 9 },
    STATE: {
      cell: ({ state }) => state,
      tone: ({ state }) => stateTone(state),
    },
    COPIED: {
      cell: ({ bytes }) => bytesText(bytes),
      value: ({ bytes }) => bytes,
      priority: 3,
    },
    PLATFORMS: {
      cell: ({ platforms }) => platforms.join(","),
      priority: 4,
    },
    REASON: { cell: ({ reason }) => reason, prose: true },
  }),
  run: mirror,
} satisfies Command<AirgapMirrorRow, MirrorInputs>;

async function* mirror(
  context: Context<MirrorInputs>,
): AsyncGenerator<AirgapMirrorRow> {
  const { input, note, environment, signal } = context;
  const { to, from, platform } = input;
  const target = parsePlace(to);
  const origin = from === undefined ? undefined : parsePlace(from);
  if (origin?.text === target.text) {
    throw new UsageError("--from and --to are the same");
  }
  await using temporary = await temporaryFolder("osctl-mirror-");
  let copying = "";
  using registries = await openRegistries(context);
  const shared = {
    registry: registries.registry,
    signal,
    folder: temporary.path,
    progress: ({ done, size }) => {
      const how = `${bytesText(done)} of ${bytesText(size)}`;
      environment.live?.draw([`copying ${copying}: ${how}`]);
    },
  } satisfies Partial<RegistryStoreOptions>;
  const layout = origin?.kind === "directory"
    ? await openLayout(origin.path, "read")
    : undefined;
  const { images, failure }: Closure = layout === undefined ||
      namesImages(context)
    ? await findClosure(context)
    : { images: layout.images };
  const made = target.kind === "directory"
    ? await openLayout(target.path, "create")
    : undefined;
  const options: CopyOptions = {
    // A partial download resumes in its target directory.
    source: layout ??
      placeStore(origin, {
        ...shared,
        ...made && { folder: made.blobs, keepsBlobs: true },
      }),
    target: made ?? placeStore(target, shared),
    platforms: platform.includes(every) ? undefined : [...new Set(platform)],
    onImage({ name }) {
      copying = name;
      environment.live?.draw([`copying ${name}`]);
    },
    signal,
  };
  const counts = { copied: 0, kept: 0, failed: 0, bytes: 0 };
  for await (const { image, ...row } of copyImages(images, options)) {
    environment.live?.draw([]);
    counts[row.state]++;
    counts.bytes += row.bytes;
    yield toRow(image, row);
  }
  note(
    `${counts.copied} copied (${
      bytesText(counts.bytes)
    }), ${counts.kept} already there, ${counts.failed} failed`,
  );
  if (counts.failed > 0) throw toFailure(counts.failed, images.length);
  if (failure !== undefined) throw failure;
}

function toRow(
  { name, digest }: ClosureImage,
  rest: Omit<AirgapMirrorRow, "image" | "digest">,
): AirgapMirrorRow {
  return { image: name, digest: digest ?? null, ...rest };
}

function toFailure(failed: number, all: number): OutcomeError {
  return new OutcomeError(
    failed < all ? "partial" : "failed",
    `${failed} of ${all} images were not copied`,
    failed < all ? exitStatus.partial : exitStatus.failed,
    {
      hint:
        "Run the same command again: images that are already there are not copied again",
    },
  );
}

/** Reports whether the command line selects images. */
function namesImages(
  { input, globals }: Context<MirrorInputs>,
): boolean {
  return input.configurations.length > 0 || input.imageList !== undefined ||
    globals.nodes.length > 0 || globals.selector !== undefined;
}

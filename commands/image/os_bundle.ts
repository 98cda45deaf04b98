import { releaseImages } from "../../config/images.ts";
import { defaultRelease, imagePrefix, legacyBundle } from "../../talos.ts";
import {
  listExtensions,
  listOverlays,
} from "../../workflows/image_cache/bundle_lists.ts";
import { registryClient } from "../../workflows/image_cache/registry.ts";
import { userLogins } from "../../workflows/image_cache/registry_logins.ts";
import {
  type Command,
  InputProblem,
  lines,
  optionalWord,
  toggle,
  type Values,
} from "../_kit/mod.ts";
import { namespaceFlag } from "./_namespace.ts";

interface BundleImageRow {
  readonly image: string;
}

const argument = optionalWord(
  "operating system release, such as v1.12.1; default that of this client",
);

const inputs = {
  namespace: { ...namespaceFlag, hidden: true },
  extensions: toggle("list the extensions too, from the registry"),
  overlays: toggle("list the overlays too, from the registry"),
  version: {
    ...argument,
    parse: (words: readonly string[]) => words.map(release)[0],
  },
};

export const command = {
  summary: "List the images of an operating system release",
  description:
    `Without flags, no node or registry is contacted. The digests of extensions and overlays are known only to the registry:
--extensions and --overlays read them there, with the credentials of the Docker configuration.`,
  aliases: [
    "images os-bundle",
    `image ${legacyBundle}`,
    `images ${legacyBundle}`,
  ],
  inputs,
  examples: [
    "image os-bundle",
    "image os-bundle v1.12.1 --extensions --overlays",
  ],
  view: lines(({ image }) => image),
  async *run({ input, environment, signal }) {
    const { version = defaultRelease, extensions, overlays } = input;
    for (const image of releaseImages(version)) yield { image };
    if (!extensions && !overlays) return;
    const login = await userLogins(environment.env, signal);
    const registry = registryClient({ insecure: false, login, signal });
    const context = { registry, signal };
    const of = (name: string) => `${imagePrefix}/${name}:${version}`;
    const images = [
      ...extensions ? await listExtensions(of("extensions"), context) : [],
      ...overlays ? await listOverlays(of("overlays"), context) : [],
    ];
    for (const image of new Set(images.sort())) yield { image };
  },
} satisfies Command<BundleImageRow, Values<typeof inputs>>;

/** First minor release published under these names. */
const oldestMinor = 11;

function release(word: string): string {
  const [, major, minor] = /^v(\d+)\.(\d+)\.\d+(-[\w.]+)?$/.exec(word) ?? [];
  const isKnown = major === "1" && Number(minor) >= oldestMinor;
  if (isKnown) return word;
  throw new InputProblem(
    `must be a version such as ${defaultRelease}, v1.${oldestMinor} or later`,
  );
}

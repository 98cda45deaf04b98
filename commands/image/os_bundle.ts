import { releaseImages } from "../../config/images.ts";
import { defaultRelease, legacyBundle } from "../../talos.ts";
import {
  type Command,
  InputProblem,
  lines,
  optionalWord,
  type Values,
} from "../_kit/mod.ts";
import { namespaceFlag } from "./_namespace.ts";

/** An image of a release. */
export interface BundleImageRow {
  readonly image: string;
}

const argument = optionalWord(
  "operating system release, such as v1.12.1; default that of this client",
);

const inputs = {
  namespace: { ...namespaceFlag, hidden: true },
  version: {
    ...argument,
    parse: (words: readonly string[]) => words.map(release)[0],
  },
};

export const command = {
  summary: "List the images of an operating system release",
  description:
    `No node or registry is contacted, so extensions and overlays, whose digests only the registry knows, are not listed
individually.`,
  aliases: [
    "images os-bundle",
    `image ${legacyBundle}`,
    `images ${legacyBundle}`,
  ],
  inputs,
  examples: ["image os-bundle", "image os-bundle v1.12.1"],
  view: lines(({ image }) => image),
  async *run({ input: { version = defaultRelease } }) {
    for (const image of releaseImages(version)) yield { image };
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

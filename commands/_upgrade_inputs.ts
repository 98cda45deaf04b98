import { defaultImages } from "../config/images.ts";
import { UsageError } from "../errors.ts";
import type { UpgradeInput } from "../workflows/operations/upgrade/upgrade_facts.ts";
import { upgradeAllowances } from "../workflows/upgrade/upgrade_problems.ts";
import { parseVersion } from "../lib/version.ts";
import { allowances, allowFlag } from "./_kit/guard.ts";
import {
  type Flag,
  imageName,
  InputProblem,
  text,
  type Values,
} from "./_kit/mod.ts";

/** Flags that select the image. */
export const imageInputs = {
  image: {
    ...text("installer image", { short: "i", shown: defaultImages.installer }),
    parse(value: string): string {
      if (parseVersion(value) === undefined) return imageName(value);
      throw new InputProblem(
        `not an image name: it is a version; use --to ${value}`,
      );
    },
  },
  to: text("target version; keeps the image each node has otherwise"),
};

export type ImageInputs = Values<typeof imageInputs>;

/** `--allow`, with the rules of upgrades. */
export const allowInput: Flag<readonly string[]> = allowFlag([
  ...upgradeAllowances,
  ...allowances,
]);

/** Default request of an upgrade to an image. */
const usual = {
  stage: false,
  force: false,
  preserve: false,
  mode: "default",
  insecure: false,
  drainMs: 0,
  wait: true,
  allow: [],
} as const;

/**
 * Builds an upgrade request from flags. Throws `UsageError` if image and
 * version are both given, or the version is invalid.
 */
export function upgradeInput(
  { image, to }: ImageInputs,
  more: Partial<Omit<UpgradeInput, "image" | "to">> = {},
): UpgradeInput {
  if (image !== undefined && to !== undefined) {
    throw new UsageError("Flags --image and --to cannot be combined", {
      hint:
        "Use --to to change only the version of each node's image, or --image for another image",
    });
  }
  if (to === undefined) {
    return {
      ...usual,
      ...more,
      image: image ?? defaultImages.installer,
      to: null,
    };
  }
  if (parseVersion(to) === undefined) {
    throw new UsageError(`Flag --to "${to}" is not a version`, {
      hint: "Use a version such as v1.12.11",
    });
  }
  const version = to.startsWith("v") ? to : `v${to}`;
  return { ...usual, ...more, image: null, to: version };
}

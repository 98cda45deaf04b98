/** Build information. A build replaces this file. */

/** Facts about the build. */
export const release = {
  /** Version tag; `-dev` when it was not built from that tag. */
  tag: "v0.2.0-dev",
  /** Commit it was built from, `-dirty` when files were changed; empty in a checkout. */
  sha: "",
  /** When it was built, ISO 8601; empty in a checkout. */
  built: "",
} as const;

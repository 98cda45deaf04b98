/** Which osctl this is. */

/** Facts about this build; the build task fills in what a source checkout cannot know. */
export const release = {
  /** Version tag. */
  tag: "v0.1.0",
  /** Commit it was built from, empty in a checkout. */
  sha: "",
  /** When it was built, ISO 8601, empty in a checkout. */
  built: "",
} as const;

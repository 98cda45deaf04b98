/** Licenses of everything in the executable. Replaced by the build. */

/** Text with a line end. */
export const notices =
  `This is osctl from its sources, licensed under Apache-2.0. An executable also has the licenses of the runtime and of
all packages in it.
`;

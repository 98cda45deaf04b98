/** Licences of everything in the executable. A build puts another file in the place of this one. */

/** Text with a line end. */
export const notices =
  `This is osctl from its sources, licensed under Apache-2.0. An executable also has the licenses of the runtime and of
all packages in it.
`;

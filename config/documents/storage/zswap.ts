/** Compressed swap in memory. */

import { boolean, integer } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";

/** `ZswapConfig`. */
export const zswap: DocumentKind = {
  kind: "ZswapConfig",
  summary: "Compression of pages in memory before they are swapped",
  named: false,
  since: "1.11",
  fields: {
    maxPoolPercent: {
      shape: integer(0n, 100n),
      optional: true,
      summary: "Share of the memory for compressed pages, in percent",
      initial: "20",
      examples: [{ value: 25 }],
    },
    shrinkerEnabled: {
      shape: boolean,
      optional: true,
      summary: "Whether unused compressed pages are moved to disk early",
      initial: "false",
    },
  },
  examples: [{ value: { maxPoolPercent: 25, shrinkerEnabled: true } }],
};

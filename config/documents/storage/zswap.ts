/** Compressed swap in memory. */

import { boolean, integer } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field } from "../shapes.ts";

/** `ZswapConfig`. */
export const zswap: DocumentKind = {
  kind: "ZswapConfig",
  summary: "Compression of pages in memory before they are swapped",
  named: false,
  since: "1.11",
  fields: {
    maxPoolPercent: field(
      integer(0n, 100n),
      "Share of the memory for compressed pages, in percent",
      { optional: true, initial: "20", example: 25 },
    ),
    shrinkerEnabled: field(
      boolean,
      "Whether unused compressed pages are moved to disk early",
      { optional: true, initial: "false" },
    ),
  },
  examples: [{ value: { maxPoolPercent: 25, shrinkerEnabled: true } }],
};

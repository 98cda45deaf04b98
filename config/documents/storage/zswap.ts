import { boolean, integer } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field } from "../shapes.ts";

/** `ZswapConfig`. */
export const zswap: DocumentKind = {
  kind: "ZswapConfig",
  summary: "Compressed cache for swap pages (zswap)",
  named: false,
  since: "1.11",
  fields: {
    maxPoolPercent: field(
      integer(0n, 100n),
      "Maximum size of the pool, as a percentage of memory",
      { optional: true, initial: "20", example: 25 },
    ),
    shrinkerEnabled: field(
      boolean,
      "Whether to write cold pages to disk proactively",
      { optional: true, initial: "false" },
    ),
  },
  examples: [{ value: { maxPoolPercent: 25, shrinkerEnabled: true } }],
};

import { documentKind } from "../table.ts";

export const zswap = documentKind()`
ZswapConfig | since 1.11 | Compressed cache for swap pages (zswap)
  = {"maxPoolPercent": 25, "shrinkerEnabled": true}
  maxPoolPercent  | integer(0 100), optional, default 20 | Maximum size of the pool, as a percentage of memory
    = 25
  shrinkerEnabled | boolean, optional, default false | Whether to write cold pages to disk proactively
`;

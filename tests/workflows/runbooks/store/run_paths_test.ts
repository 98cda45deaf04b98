import assert from "node:assert/strict";
import {
  findPlaces,
  placesIn,
} from "../../../../workflows/runbooks/store/run_paths.ts";
import { ConfigError } from "../../../../errors.ts";

Deno.test("findPlaces are in the user's home", () => {
  const env = (name: string) => name === "HOME" ? "/home/eve" : undefined;
  assert.deepEqual(findPlaces({ env }), {
    runs: "/home/eve/.os/runs",
    locks: "/home/eve/.os/locks",
    keys: "/home/eve/.os/run-keys",
  });
  assert.throws(() => findPlaces({ env: () => undefined }), ConfigError);
});

Deno.test("placesIn are in the folder given", () => {
  assert.deepEqual(placesIn("/state"), {
    runs: "/state/runs",
    locks: "/state/locks",
    keys: "/state/run-keys",
  });
});

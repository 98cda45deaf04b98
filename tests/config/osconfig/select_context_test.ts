import assert from "node:assert/strict";
import { ConfigError } from "../../../errors.ts";
import type { Osconfig } from "../../../config/osconfig/osconfig.ts";
import {
  type ContextChoice,
  selectContext,
} from "../../../config/osconfig/select_context.ts";

const lab = { endpoints: ["10.0.0.1"], nodes: [] };
const config: Osconfig = {
  current: "lab",
  contexts: new Map([["lab", lab], ["prod", { endpoints: [], nodes: [] }]]),
};

function refuses(
  config: Osconfig,
  choice: ContextChoice,
  message: string,
  hint: string,
): void {
  assert.throws(() => selectContext(config, choice), (error) => {
    assert.equal(error instanceof ConfigError, true);
    assert.equal((error as ConfigError).message, message);
    assert.equal((error as ConfigError).hint, hint);
    return true;
  });
}

Deno.test("an unknown context is refused with the known ones and the likely one", () => {
  const message = 'Cannot use context "prd": "f" has "lab", "prod"';
  const choice = { file: "f", context: "prd" };
  refuses(config, choice, message, "Choose one of them with --context");
  const nearest = (wrong: string, known: Iterable<string>) =>
    wrong === "prd" ? [...known][1] : undefined;
  refuses(config, { ...choice, nearest }, message, 'Did you mean "prod"?');
});

Deno.test("a current context that is not there is refused by its name", () => {
  refuses(
    { ...config, current: "gone" },
    { file: "f" },
    'Cannot use context "gone": "f" has "lab", "prod"',
    "Choose one of them with --context",
  );
});

Deno.test("without a current context one has to be chosen", () => {
  refuses(
    { ...config, current: "" },
    { file: "f" },
    'No current context is set in "f", which has "lab", "prod"',
    "Choose one with --context, or set it with osctl config context",
  );
});

Deno.test("a file without contexts is named", () => {
  const empty = { current: "", contexts: new Map() };
  const hint =
    "Add a cluster with: osctl config merge <file>; to try osctl with simulated nodes: osctl cluster create embedded";
  refuses(
    empty,
    { file: "f" },
    'Cannot use a context: "f" has no contexts',
    hint,
  );
  refuses(
    empty,
    { file: "f", context: "lab" },
    'Cannot use context "lab": "f" has no contexts',
    hint,
  );
});

Deno.test("of many contexts ten are listed", () => {
  const many = Array.from({ length: 13 }, (_, i) => [`c${i}`, lab] as const);
  assert.throws(
    () =>
      selectContext({ current: "x", contexts: new Map(many) }, { file: "f" }),
    /has "c0", .*"c9" and 3 more$/,
  );
});

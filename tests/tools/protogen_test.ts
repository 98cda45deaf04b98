import assert from "node:assert/strict";
import config from "../../deno.json" with { type: "json" };
import {
  codeFolder,
  generate,
  lazyServices,
  staleFiles,
  strict,
} from "../../tools/protogen.ts";
import { needs, runCase } from "../_needs.ts";

/** The generator: cached here, or downloaded. */
const generator = runCase(
  "npm:@bufbuild/buf",
  undefined,
  ...[Deno.execPath(), "run", "--quiet", "-A"],
  ...[`${config.imports["@bufbuild/buf"]}/buf`, "--version"],
);

const decoder = `import { BinaryReader } from "wire";
export const Empty = {
  decode(input: Uint8Array): Empty {
      while (reader.pos < end) {
        const tag = reader.uint32();
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
  },
};
`;

Deno.test("strict refuses a decoder it does not recognise", () => {
  const other = decoder.replace("tag === 0", "tag <= 0");
  assert.throws(() => strict("a.ts", other), {
    message: 'Cannot harden "a.ts": 0 of 1 decoders are known',
  });
});

const definition = `import { Empty } from "./google/protobuf/empty.ts";
import {
  Answer,
} from "./other.ts";

export const AServiceDefinition = {
  name: "AService",
  fullName: "a.AService",
  methods: {
    ask: {
      name: "Ask",
      requestType: Empty as typeof Empty,
      requestStream: false,
      responseType: Answer as typeof Answer,
      responseStream: true,
      options: {},
    },
  },
} as const;
`;

Deno.test("lazyServices refuses a method it does not recognise", () => {
  const other = definition.replace("responseStream: true", "responseStream: 1");
  const odd = other.replace("requestStream: false,", "");
  assert.throws(() => lazyServices(new Map([["a.ts", odd]])), {
    message: 'Cannot list the methods of a.AService in "a.ts"',
  });
});

Deno.test({
  name: "generate writes what is committed",
  ...needs(generator),
  async fn() {
    const fresh = await Deno.makeTempDir();
    try {
      await generate(fresh);
      assert.deepEqual(await staleFiles(fresh, codeFolder), []);
    } finally {
      await Deno.remove(fresh, { recursive: true });
    }
  },
});

import assert from "node:assert/strict";
import config from "../../deno.json" with { type: "json" };
import {
  codeFolder,
  generate,
  lazyServices,
  staleFiles,
  strict,
} from "../../tools/protogen.ts";
import { needs, tried } from "../_needs.ts";

async function folder(
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const path = await Deno.makeTempDir();
  for (const [name, text] of Object.entries(files)) {
    await Deno.mkdir(`${path}/${name.slice(0, name.lastIndexOf("/") + 1)}`, {
      recursive: true,
    });
    await Deno.writeTextFile(`${path}/${name}`, text);
  }
  return path;
}

async function stale(
  fresh: Readonly<Record<string, string>>,
  committed: Readonly<Record<string, string>>,
): Promise<string[]> {
  const folders = [await folder(fresh), await folder(committed)] as const;
  try {
    return await staleFiles(...folders);
  } finally {
    for (const path of folders) await Deno.remove(path, { recursive: true });
  }
}

/** The generator: cached here, or downloaded. */
const generator = tried(
  "npm:@bufbuild/buf",
  undefined,
  ...[Deno.execPath(), "run", "--quiet", "-A"],
  ...[`${config.imports["@bufbuild/buf"]}/buf`, "--version"],
);

Deno.test("staleFiles names changed, missing and left over files", async () => {
  const fresh = { "a.ts": "1", "b.ts": "2", "google/rpc/c.ts": "3" };
  const committed = { "a.ts": "1", "b.ts": "old", "google/rpc/d.ts": "4" };
  assert.deepEqual(await stale(fresh, committed), [
    "b.ts",
    "google/rpc/c.ts",
    "google/rpc/d.ts",
  ]);
});

Deno.test("staleFiles finds nothing between equal folders", async () => {
  assert.deepEqual(await stale({ "x/a.ts": "1" }, { "x/a.ts": "1" }), []);
});

Deno.test("staleFiles takes an absent folder as empty", async () => {
  const fresh = await folder({ "a.ts": "1" });
  assert.deepEqual(await staleFiles(fresh, `${fresh}/absent`), ["a.ts"]);
  await Deno.remove(fresh, { recursive: true });
});

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

const strictDecoder =
  `import { checkEnd, skipUnknown } from "../../call/decode_checks.ts";
import { BinaryReader } from "wire";
export const Empty = {
  decode(input: Uint8Array): Empty {
      while (reader.pos < end) {
        const tag = reader.uint32();
        skipUnknown(reader, tag);
      }
      checkEnd(reader, end);
      return message;
  },
};
`;

Deno.test("strict puts checks behind fields and messages", () => {
  assert.equal(strict("google/empty.ts", decoder), strictDecoder);
});

Deno.test("strict leaves a file without decoders alone", () => {
  assert.equal(
    strict("a.ts", "export const a = 1;\n"),
    "export const a = 1;\n",
  );
});

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
    /** Since v1. */
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

Deno.test("lazyServices lists methods with what loads their messages", () => {
  const code = lazyServices(new Map([["a.ts", definition]]));
  assert.match(code, /fullName: "a.AService"/);
  assert.ok(code.includes(`      ask: {
        name: "Ask",
        requestStream: false,
        responseStream: true,
        types: async () => [Empty, (await import("./other.ts")).Answer],
      },
`));
});

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

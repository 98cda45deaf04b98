/**
 * Writes transport/gen from transport/proto; `--check` only compares.
 *
 * @module
 */

import config from "../deno.json" with { type: "json" };

const protoFolder: string = `${import.meta.dirname}/../transport/proto`;

/** Folder of the committed generated code. */
export const codeFolder: string = `${import.meta.dirname}/../transport/gen`;

/** Options of ts-proto; docs/decisions/0003-options-of-the-protobuf-generator.md says why. */
const pluginOptions = [
  "outputServices=generic-definitions",
  "outputJsonMethods=false",
  "useExactTypes=false",
  "useReadonlyTypes=true",
  "useDate=false",
  "forceLong=bigint",
  "oneof=unions-value",
  "enumsAsLiterals=true",
  "unrecognizedEnum=false",
  "importSuffix=.ts",
];

/**
 * Generates all code of a folder of `.proto` files.
 *
 * @param into Existing folder that receives one `.ts` file for each `.proto` file.
 * @throws {Error} If a `.proto` file is wrong, or the generator's output is not as expected.
 */
export async function generate(into: string): Promise<void> {
  const template = JSON.stringify({
    version: "v2",
    plugins: [{
      local: run(`${config.imports["ts-proto"]}/protoc-gen-ts_proto`),
      out: into,
      include_imports: true,
      include_wkt: true,
      opt: pluginOptions,
    }],
  });
  const [deno, ...args] = run(`${config.imports["@bufbuild/buf"]}/buf`);
  const buf = new Deno.Command(deno, {
    args: [...args, "generate", protoFolder, "--template", template],
    stderr: "inherit",
  });
  const { code } = await buf.output();
  if (code !== 0) {
    throw new Error(`Cannot generate code: buf ended with ${code}`);
  }
  const files = new Map<string, string>();
  for (const file of await listFiles(into)) {
    files.set(file, strict(file, await Deno.readTextFile(`${into}/${file}`)));
  }
  files.set("services.ts", lazyServices(files));
  if (files.has("machine.ts")) files.set("machine.ts", withMessages(files));
  for (const [file, code] of files) {
    await Deno.writeTextFile(`${into}/${file}`, code);
  }
}

/** File of the machine service; also exports its messages, for callers that may load all of them. */
function withMessages(files: ReadonlyMap<string, string>): string {
  const code = files.get("machine.ts") ?? "";
  const again = [...code.matchAll(/ from "\.\/(machine_.*)";$/gm)].map(
    ([, file = ""]) => {
      const values = (files.get(file) ?? "").matchAll(/^export const (\w+)/gm);
      const names = [...values].map(([, name = ""]) => name)
        .filter((name) => !name.startsWith("protobuf"));
      return `export { ${names.join(", ")} } from "./${file}";\n`;
    },
  );
  return `${code}\n${again.join("")}`;
}

const common = ["./common.ts", "./google/protobuf/empty.ts"];

/**
 * Lists all methods without the code of their messages, which a call loads when it is made.
 *
 * @param files Generated code by path.
 * @returns TypeScript.
 * @throws {Error} If a service does not look like ts-proto's.
 */
export function lazyServices(files: ReadonlyMap<string, string>): string {
  const services: string[] = [];
  for (const [file, code] of [...files].sort()) {
    const places = new Map<string, string>();
    for (
      const [, names = "", from = ""] of code.matchAll(
        /^import \{([^}]*)\} from "(.*)";$/gm,
      )
    ) {
      for (const name of names.split(",")) places.set(name.trim(), from);
    }
    const type = (name: string) => {
      const place = places.get(name) ?? `./${file}`;
      return common.includes(place)
        ? name
        : `(await import("${place}")).${name}`;
    };
    for (
      const [, symbol = "", fullName = "", body = ""] of code.matchAll(
        /^export const (\w+Definition) = \{\n.*\n {2}fullName: "(.*)",\n {2}methods: \{\n([^]*?)\n {2}\},\n\} as const;$/gm,
      )
    ) {
      const methods = [...body.matchAll(method)].map((
        [, key, name, request = "", requestStream, response = "", stream],
      ) =>
        `      ${key}: {
        name: "${name}",
        requestStream: ${requestStream},
        responseStream: ${stream},
        types: async () => [${type(request)}, ${type(response)}],
      },\n`
      );
      if (methods.length !== body.match(/\bname: /g)?.length) {
        throw new Error(`Cannot list the methods of ${fullName} in "${file}"`);
      }
      services.push(`  ${symbol}: {
    fullName: "${fullName}",
    methods: {\n${methods.join("")}    },\n  },\n`);
    }
  }
  return `// Code written by tools/protogen.ts. DO NOT EDIT.

/* eslint-disable */
import { Data } from "./common.ts";
import { Empty } from "./google/protobuf/empty.ts";

export const lazyServices = {\n${services.join("")}} as const;\n`;
}

const method =
  /^ {4}(\w+): \{\n {6}name: "(\w+)",\n {6}requestType: (\w+) as .*,\n {6}requestStream: (\w+),\n {6}responseType: (\w+) as .*,\n {6}responseStream: (\w+),$/gm;

/**
 * Makes a generated decoder reject invalid input.
 *
 * As generated, it silently stops at field number 0 and accepts a nested message whose fields exceed its length.
 *
 * @param file Path of the file inside its folder.
 * @param code TypeScript from ts-proto.
 * @returns The code with calls of transport/call/decode_checks.ts.
 * @throws {Error} If the code does not look like ts-proto's.
 */
export function strict(file: string, code: string): string {
  const decoders = code.match(/^ {2}decode\(input: .*\{$/gm)?.length ?? 0;
  if (decoders === 0) return code;
  const changed = code.replaceAll(
    /^ +if \(\(tag & 7\) === 4 \|\| tag === 0\) \{\n +break;\n +\}\n +reader\.skip\(tag & 7\);\n( +)\}\n/gm,
    "$1  skipUnknown(reader, tag);\n$1}\n$1checkEnd(reader, end);\n",
  );
  const found = changed.match(/checkEnd\(reader, end\)/g)?.length ?? 0;
  if (found !== decoders) {
    throw new Error(
      `Cannot harden "${file}": ${found} of ${decoders} decoders are known`,
    );
  }
  const up = "../".repeat(file.split("/").length);
  return changed.replaceAll(
    /^( +)while \(reader\.pos < end2\) \{\n.*\n +\}\n/gm,
    "$&$1checkEnd(reader, end2);\n",
  ).replace(
    /^import /m,
    `import { checkEnd, skipUnknown } from "${up}call/decode_checks.ts";\nimport `,
  );
}

/**
 * Compares two folders.
 *
 * @param fresh Folder that is right.
 * @param committed Folder in question; may be absent.
 * @returns Sorted paths of files that differ, or that only one of the folders has.
 */
export async function staleFiles(
  fresh: string,
  committed: string,
): Promise<string[]> {
  const names = new Set([
    ...await listFiles(fresh),
    ...await listFiles(committed),
  ]);
  const stale: string[] = [];
  for (const name of [...names].sort()) {
    const [right, present] = await Promise.all([
      read(`${fresh}/${name}`),
      read(`${committed}/${name}`),
    ]);
    if (right !== present) stale.push(name);
  }
  return stale;
}

function run(specifier: string): readonly [string, ...string[]] {
  return [Deno.execPath(), "run", "--quiet", "--allow-all", specifier];
}

async function read(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function listFiles(folder: string, inside = ""): Promise<string[]> {
  const files: string[] = [];
  try {
    for await (
      const { name, isDirectory } of Deno.readDir(`${folder}/${inside}`)
    ) {
      const path = `${inside}${name}`;
      files.push(...isDirectory ? await listFiles(folder, `${path}/`) : [path]);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return files;
}

async function main(check: boolean): Promise<void> {
  const fresh = await Deno.makeTempDir();
  try {
    await generate(fresh);
    const stale = await staleFiles(fresh, codeFolder);
    if (check) {
      const lines = stale.map((file) => `Stale: transport/gen/${file}\n`);
      await Deno.stderr.write(new TextEncoder().encode(lines.join("")));
      Deno.exitCode = stale.length === 0 ? 0 : 1;
      return;
    }
    for (const file of stale) await replace(fresh, file);
  } finally {
    await Deno.remove(fresh, { recursive: true });
  }
}

async function replace(fresh: string, file: string): Promise<void> {
  const code = await read(`${fresh}/${file}`);
  const target = `${codeFolder}/${file}`;
  if (code === undefined) return await Deno.remove(target);
  await Deno.mkdir(target.slice(0, target.lastIndexOf("/")), {
    recursive: true,
  });
  await Deno.writeTextFile(target, code);
}

if (import.meta.main) await main(Deno.args.includes("--check"));

/** Packages in an executable, from the runtime's cache: names, licenses, notices. */

/** One package. */
export interface Package {
  /** Key in `deno.lock`: `name@version`, with its peers after `_`. */
  readonly key: string;
  readonly name: string;
  readonly version: string;
  readonly folder: string;
  /** License in its `package.json`: an SPDX expression. */
  readonly license: string;
  /** Texts of its license files and notices, sorted by file name; empty if there are none. */
  readonly texts: readonly string[];
  /** Copyright comments in its code, without duplicates. */
  readonly notices: readonly string[];
  /** Keys of its dependencies, without type packages. */
  readonly needs: readonly string[];
}

/** Packages of a program. */
export interface Packages {
  /** Keys of direct imports, sorted. */
  readonly roots: readonly string[];
  /** All dependencies, sorted by key. */
  readonly all: readonly Package[];
}

/** Used fields of `deno info --json`. */
interface Info {
  readonly modules: readonly { readonly npmPackage?: string }[];
  readonly npmPackages: Readonly<
    Record<string, {
      readonly name: string;
      readonly version: string;
      readonly dependencies: readonly string[];
      readonly localPath: string;
    }>
  >;
}

/**
 * Finds the packages of a program.
 *
 * @param entry Its first file, as a `file:` URL.
 * @throws {Error} If the program cannot be read, or a package has no license.
 */
export async function findPackages(entry: URL): Promise<Packages> {
  const { modules, npmPackages } = await readInfo(entry);
  const roots = [
    ...new Set(modules.flatMap(({ npmPackage }) => npmPackage ?? [])),
  ]
    .filter(isCode).sort();
  const found = new Map<string, Package>();
  const open = [...roots];
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    const info = npmPackages[key];
    if (found.has(key) || info === undefined) continue;
    const needs = info.dependencies.filter(isCode);
    const { name, version } = info;
    const written = await licenceIn(info.localPath);
    found.set(key, {
      key,
      name,
      version,
      folder: info.localPath,
      needs,
      ...written,
    });
    open.push(...needs);
  }
  const all = [...found.values()].sort((a, b) => a.key < b.key ? -1 : 1);
  return { roots, all };
}

/** A part of an executable, with its license terms. */
interface Part {
  /** Name, version and license, in one line. */
  readonly title: string;
  readonly text: string;
}

interface Terms {
  /** Apache License 2.0, of osctl. */
  readonly apache: string;
  /** GNU General Public License 3.0, which the Lesser one extends. */
  readonly gpl: string;
}

/**
 * Writes the notices of an executable; parts with the same terms share them.
 *
 * @param packages Its packages.
 * @param versions Versions of osctl and of the runtime.
 * @param terms License texts that packages refer to.
 * @returns Text that ends with a line end.
 * @throws {Error} If the terms of a package are in none of its files.
 */
export function formatNotices(
  packages: readonly Package[],
  versions: {
    readonly osctl: string;
    readonly deno: string;
  },
  terms: Terms,
): string {
  const parts = [
    { title: `osctl ${versions.osctl} (Apache-2.0)`, text: terms.apache },
    { title: `Deno ${versions.deno} (MIT)`, text: `${denoOwners}${mit}` },
    { title: "V8, in Deno (BSD-3-Clause)", text: `${v8Owners}${bsd}` },
    ...packages.map((one) => toPart(one, terms)),
  ];
  const byText = Map.groupBy(parts, ({ text }) => text);
  const sections = [...byText].map(([text, sharing]) =>
    [...sharing.map(({ title }) => title), "", text].join("\n")
  );
  const lock =
    `https://github.com/denoland/deno/blob/v${versions.deno}/Cargo.lock`;
  return [
    `This executable holds the parts below, each with its terms. Deno and V8 hold further
libraries: ${lock}
and https://github.com/denoland/rusty_v8 name them.
`,
    ...sections,
  ].join(`\n${"=".repeat(80)}\n\n`);
}

function toPart(
  { key, name, version, license, texts, notices }: Package,
  { apache, gpl }: Terms,
): Part {
  const own = texts.map((one) => one.replaceAll("\r\n", "\n").trim());
  if (own.length === 0 && license.includes("Apache-2.0")) {
    own.push(apache.trimEnd());
  }
  if (own.length === 0 && license === "MIT") {
    own.push(`Copyright the authors of ${name}\n\n${mit}`.trimEnd());
  }
  if (own.length === 0 && license === "ISC") {
    own.push(`Copyright the authors of ${name}\n\n${isc}`.trimEnd());
  }
  if (own.length === 0) throw new Error(`Cannot find the terms of ${key}`);
  if (license.includes("LGPL-3.0")) own.push(gpl.trimEnd());
  const shown = notices.length > 0 ? ["Notices in its files:", ...notices] : [];
  const compiled = compiledIn[name] ?? [];
  return {
    title: `${name} ${version} (${license})`,
    text: `${[...own, ...compiled, ...shown].join("\n\n")}\n`,
  };
}

/** Code compiled into packages without a notice in their files. */
const compiledIn: Readonly<Record<string, readonly string[]>> = {
  "@viz-js/viz": [
    `It holds Graphviz, under the Eclipse Public License 1.0
(https://www.eclipse.org/legal/epl-v10.html), without warranty or liability of
its contributors. Its source is at https://gitlab.com/graphviz/graphviz.`,
    `It holds Expat, under the MIT License:
Copyright (c) 1998-2000 Thai Open Source Software Center Ltd and Clark Cooper
Copyright (c) 2001-2025 Expat maintainers
(https://github.com/libexpat/libexpat)`,
  ],
};

const denoOwners = `MIT License

Copyright 2018-2026 the Deno authors

`;

const mit =
  `Permission is hereby granted, free of charge, to any person obtaining a copy of
this software and associated documentation files (the "Software"), to deal in
the Software without restriction, including without limitation the rights to
use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of
the Software, and to permit persons to whom the Software is furnished to do so,
subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS
FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER
IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`;

const isc =
  `Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
`;

const v8Owners = `Copyright 2014, the V8 project authors. All rights reserved.

`;

const bsd = `Redistribution and use in source and binary forms, with or without
modification, are permitted provided that the following conditions are met:

    * Redistributions of source code must retain the above copyright notice,
      this list of conditions and the following disclaimer.
    * Redistributions in binary form must reproduce the above copyright notice,
      this list of conditions and the following disclaimer in the documentation
      and/or other materials provided with the distribution.
    * Neither the name of Google Inc. nor the names of its contributors may be
      used to endorse or promote products derived from this software without
      specific prior written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND
ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED
WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT OWNER OR CONTRIBUTORS BE LIABLE FOR
ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES
(INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES;
LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON
ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT
(INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS
SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
`;

/** Type packages leave nothing in the executable. */
function isCode(key: string): boolean {
  return !key.startsWith("@types/");
}

async function licenceIn(
  folder: string,
): Promise<Pick<Package, "license" | "texts" | "notices">> {
  const facts: {
    readonly license?: unknown;
    /** License field of older packages. */
    readonly licenses?: readonly { readonly type?: unknown }[];
  } = JSON.parse(await Deno.readTextFile(`${folder}/package.json`));
  const license = facts.license ?? facts.licenses?.[0]?.type;
  if (typeof license !== "string") {
    throw new Error(`Cannot find the licence in ${folder}/package.json`);
  }
  const names: string[] = [];
  for await (const { name, isFile } of Deno.readDir(folder)) {
    if (isFile && /^(licen[cs]e|copying|copyright|notice)/i.test(name)) {
      names.push(name);
    }
  }
  const texts = names.sort().map((name) =>
    Deno.readTextFile(`${folder}/${name}`)
  );
  return {
    license,
    texts: await Promise.all(texts),
    notices: await noticesIn(folder),
  };
}

/** Notices of bundled third-party code, which are only in comments. */
async function noticesIn(folder: string): Promise<readonly string[]> {
  const found = new Map<string, string>();
  for (const path of await scriptsIn(folder)) {
    const code = await Deno.readTextFile(path);
    for (const [comment] of code.matchAll(/\/\*[^]*?\*\/|(?:^ *\/\/.*\n)+/gm)) {
      if (!/copyright.*\d{4}|\(c\) *\d{4}/i.test(comment)) continue;
      const text = comment.split("\n")
        .map((line) => line.replace(/^ *(\/\*+!?|\*+\/|\*|\/\/)? ?/, ""))
        .map((line) => line.replace(/ *\**\/?$/, "")).join("\n");
      for (const paragraph of text.split(/\n\n+/).map((one) => one.trim())) {
        if (paragraph === "") continue;
        found.set(paragraph.replace(/\s+/g, " "), paragraph);
      }
    }
  }
  return [...found.values()];
}

async function scriptsIn(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) found.push(...await scriptsIn(path));
    else if (/(?<!\.min)\.[cm]?js$/.test(name)) found.push(path);
  }
  return found.sort();
}

async function readInfo(entry: URL): Promise<Info> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", entry.href],
    cwd: new URL("./", entry),
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`Cannot read the imports of ${entry}`);
  return JSON.parse(new TextDecoder().decode(stdout));
}

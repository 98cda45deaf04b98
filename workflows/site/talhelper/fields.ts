/** Keys of a `talconfig.yaml` in the configurations of nodes. */

import {
  type ConfigDocument,
  mainKind,
} from "../../../config/documents/load.ts";
import { toLinkDocuments } from "../../../config/generate/link_documents.ts";
import { document } from "../../../config/generate/split_documents.ts";
import { applyPatches, toPatch } from "../../../config/patch.ts";
import {
  type ConfigNode,
  findChild,
  isNull,
  type MapEntry,
  type Plain,
  toTree,
} from "../../../config/tree/node.ts";
import { toPlain } from "../../../config/tree/resolve.ts";
import { withValue } from "../../../config/tree/with_value.ts";
import type { TalhelperKey } from "./keys.ts";
import { type ImportContext, renderField, start } from "./patches.ts";

/** Entries of a mapping by key. */
export type Entries = ReadonlyMap<string, MapEntry>;
/** What keys become. */
export type Keys = Readonly<Record<string, TalhelperKey>>;

/** A set key, and what it becomes. */
export interface Field {
  readonly rule: TalhelperKey;
  readonly value: ConfigNode;
}

/** Keys that are set, in the order of the table. */
export function listFields(entries: Entries, keys: Keys): readonly Field[] {
  return Object.entries(keys).flatMap(([key, rule]) => {
    const { value } = entries.get(key) ?? {};
    return value === undefined || isZero(value) ? [] : [{ rule, value }];
  });
}

/** The configuration with the keys of the file, without patches. */
export function setFields(
  base: readonly ConfigDocument[],
  { fields, settings, host }: {
    readonly fields: readonly Field[];
    readonly settings: Entries;
    readonly host: string;
  },
  importer: ImportContext,
): readonly ConfigDocument[] {
  const { contract, version } = importer;
  const isNew = contract.hostnameDocument;
  const isAuto = findText(settings, "ignoreHostname") === "true";
  const documents: Plain[] = [];
  let { root } = base.find(({ kind }) => kind === mainKind) ?? base[0]!;
  const set = (path: string, value: ConfigNode) => {
    root = withValue(root, path.split(".") as [string, ...string[]], value);
  };
  for (const { rule, value } of fields) {
    const { main, documents: make } = rule;
    if (make !== undefined && (main === undefined || isNew)) {
      documents.push(...make(toPlain(value)));
    } else if (main !== undefined) {
      const old = main.split(".").reduce<ConfigNode | undefined>(
        findChild,
        root,
      );
      const isJoined = rule.appends && old?.kind === "list" &&
        value.kind === "list";
      set(
        main,
        isJoined ? { ...old, items: [...old.items, ...value.items] } : value,
      );
    }
  }
  const interfaces = settings.get("networkInterfaces");
  if (interfaces !== undefined && !isNew) {
    set("machine.network.interfaces", interfaces.value);
  } else if (interfaces !== undefined) {
    documents.push(
      ...toLinkDocuments(toPlain(interfaces.value), (index, key, hint) => {
        const { value } = interfaces;
        const item = value.kind === "list" ? value.items[index]?.value : value;
        const place = item?.at ?? start;
        const message = `Key "${key}" of an interface has no equal`;
        importer.report({ place, message, hint });
      }),
    );
  }
  if (isNew) {
    documents.push(document("HostnameConfig", {
      ...isAuto ? { auto: "stable" } : { hostname: host, auto: "off" },
    }));
  } else if (!isAuto) set("machine.network.hostname", toTree(host));
  const url = findText(settings, "talosImageURL");
  if (url !== undefined) {
    set("machine.install.image", toTree(`${url}:${version}`));
  }
  const args = ["customization", "extraKernelArgs"].reduce(
    findChild,
    settings.get("schematic")?.value,
  );
  const spec = toEntries(settings.get("machineSpec")?.value);
  const isUnified = findText(spec, "useUKI") === "true";
  if (args !== undefined && !isUnified && !contract.ukiCommandLine) {
    set("machine.install.extraKernelArgs", args);
  }
  const changed = base.map((one) =>
    one.kind === mainKind ? { ...one, root } : one
  );
  const merged = documents.reduce((all, one, index) => {
    const root = toTree(one);
    return applyPatches(all, [
      toPatch([{ root, number: index + 1 }], "talconfig.yaml"),
    ])
      .documents;
  }, changed as readonly ConfigDocument[]);
  return renderTemplates(merged, importer);
}

/** Renders templates in labels and annotations. */
function renderTemplates(
  documents: readonly ConfigDocument[],
  importer: ImportContext,
): readonly ConfigDocument[] {
  return documents.map((document) => {
    if (document.kind !== mainKind) return document;
    let { root } = document;
    for (const key of ["nodeLabels", "nodeAnnotations"]) {
      const map = findChild(findChild(root, "machine"), key);
      for (
        const { key: name, value } of map?.kind === "map" ? map.entries : []
      ) {
        if (value.kind !== "scalar" || !value.text.includes("{{")) continue;
        const text = renderField(
          value.text,
          documents,
          value.at?.file ?? "",
          importer,
        );
        root = withValue(root, ["machine", key, name], toTree(text));
      }
    }
    return { ...document, root };
  });
}

/** Entries of a mapping; none for anything else. */
export function toEntries(node: ConfigNode | undefined): Entries {
  const entries = node?.kind === "map" ? node.entries : [];
  return new Map(entries.map((entry) => [entry.key, entry]));
}

/** Text of a key; `undefined` if it is missing or empty. */
export function findText(entries: Entries, key: string): string | undefined {
  const value = entries.get(key)?.value;
  return value?.kind === "scalar" && !isNull(value) && value.text !== ""
    ? value.text
    : undefined;
}

/** Reports whether a value is that of a missing key. */
export function isZero(node: ConfigNode): boolean {
  return isNull(node) ||
    node.kind === "scalar" && ["", "false", "0"].includes(node.text);
}

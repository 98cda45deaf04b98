/** Schema files: the columns of the cgroup table. */

import type { YamlEntry, YamlTree } from "../../config/yaml/yaml_tree.ts";
import { misread, type Position } from "../../lib/text/text_position.ts";
import { openYaml, toTree } from "../../config/yaml/yaml_document.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { type CgroupColumn, columnFormats } from "./column.ts";

const path = String.raw`^[a-z0-9_]+(\.[a-z0-9_]+)+(/[^/\s]+){0,2}$`;

/** JSON Schema (draft 2020-12) of a schema file. */
export const columnsSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Columns of osctl cgroups",
  type: "object",
  required: ["columns"],
  additionalProperties: false,
  properties: {
    columns: {
      description: "Columns in order, after the name of the control group.",
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["name", "value"],
        additionalProperties: false,
        properties: {
          name: {
            description: "Header of the column.",
            type: "string",
            minLength: 1,
          },
          value: {
            description:
              "File of the control group; /key selects a line, another /key a part of that line: memory.current, cpu.stat/user_usec, io.pressure/some/avg10. With * as key, one value for each line. The values of a list are shown side by side.",
            oneOf: [
              { type: "string", pattern: path },
              {
                type: "array",
                minItems: 1,
                items: { type: "string", pattern: path },
              },
            ],
          },
          format: {
            description:
              "Format of the value: number (default), bytes, duration (microseconds), text, list (values of one line), count (number of lines), processes (names of the process numbers in the file).",
            enum: columnFormats,
          },
          percentOf: {
            description:
              "Shows the value as a percentage of this value; with parent, of the same value of the parent control group.",
            type: "string",
            pattern: `${path}|^parent$`,
          },
          width: {
            description: "Minimum width in characters; right-aligned.",
            type: "integer",
            minimum: 0,
            maximum: 200,
          },
          most: {
            description: "Maximum width in characters.",
            type: "integer",
            minimum: 1,
            maximum: 10_000,
          },
          root: {
            description: "False to show nothing for the root.",
            type: "boolean",
          },
        },
      },
    },
  },
} as const;

/**
 * Reads the columns of a table.
 *
 * @param text YAML or JSON.
 * @param file Name of the file for messages.
 * @throws {ConfigError} With the line, the value found and the value expected.
 */
export function readColumns(
  text: string,
  file: string,
): readonly CgroupColumn[] {
  const fields = { columns: (value: YamlTree) => value };
  const start = { line: 1, column: 1 };
  const { columns } = parseRecord(toTree(openYaml(text, file)), fields, {
    file,
    at: start,
  });
  if (columns?.kind !== "list" || columns.items.length === 0) {
    throw misread(file, start, 'it has no list "columns"', columnHint);
  }
  return columns.items.map((item) =>
    parseColumn(item, { file, at: positionIn(item) ?? start })
  );
}

const columnHint =
  'See "osctl cgroups schema"; an example is columns: [{name: Memory, value: memory.current, format: bytes}]';

interface SchemaPlace {
  readonly file: string;
  readonly at: Position;
}

function parseColumn(item: YamlTree, place: SchemaPlace): CgroupColumn {
  const { name, value, ...others } = parseRecord(item, columnFields, place);
  if (name === undefined || value === undefined) {
    const missing = name === undefined ? "name" : "value";
    const { file, at } = place;
    throw misread(file, at, `the column has no "${missing}"`, columnHint);
  }
  return { name, value, ...others };
}

const columnFields = {
  name: textIn,
  value: (value: YamlTree, place: SchemaPlace) =>
    value.kind === "list" && value.items.length > 0
      ? value.items.map((item) => pathIn(item, place))
      : pathIn(value, place),
  format: formatIn,
  percentOf: (value: YamlTree, place: SchemaPlace) =>
    textIn(value, place) === "parent" ? "parent" : pathIn(value, place),
  width: (value: YamlTree, place: SchemaPlace) =>
    numberIn(value, place, 0, 200),
  most: (value: YamlTree, place: SchemaPlace) =>
    numberIn(value, place, 1, 10_000),
  root: truthIn,
};

type KeyReaders = Readonly<
  Record<string, (value: YamlTree, place: SchemaPlace) => unknown>
>;

/** Reads the keys of a mapping; every key is optional. */
function parseRecord<F extends KeyReaders>(
  tree: YamlTree,
  fields: F,
  place: SchemaPlace,
): { readonly [Key in keyof F]?: ReturnType<F[Key]> } {
  const { file, at } = place;
  if (tree.kind !== "map") {
    throw misread(file, at, "expected a mapping", columnHint);
  }
  const read = ({ key, at, value }: YamlEntry) => {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field !== undefined) return [key, field(value, { file, at })] as const;
    const known = Object.keys(fields);
    const near = nearest(key, known);
    throw misread(
      file,
      at,
      `unknown key "${key}"`,
      near === undefined
        ? `Known keys: ${known.join(", ")}`
        : `Did you mean "${near}"?`,
    );
  };
  // It has the keys of the record.
  return Object.fromEntries(tree.entries.map(read)) as {
    [Key in keyof F]?: ReturnType<F[Key]>;
  };
}

function textIn(value: YamlTree, { file, at }: SchemaPlace): string {
  if (value.kind === "text" && value.value !== "") return value.value;
  throw misread(file, at, "the value is not a string");
}

function pathIn(value: YamlTree, place: SchemaPlace): string {
  const text = textIn(value, place);
  if (new RegExp(path).test(text)) return text;
  throw misread(
    place.file,
    place.at,
    `"${text}" is not a value of a control group`,
    "Write a file such as memory.current, or file/key such as cpu.stat/user_usec",
  );
}

function formatIn(value: YamlTree, place: SchemaPlace) {
  const text = textIn(value, place);
  const format = columnFormats.find((known) => known === text);
  if (format !== undefined) return format;
  throw misread(
    place.file,
    place.at,
    `"${text}" is not a format`,
    `Use one of ${columnFormats.join(", ")}`,
  );
}

function numberIn(
  value: YamlTree,
  place: SchemaPlace,
  least: number,
  most: number,
): number {
  const text = textIn(value, place);
  const number = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  if (number >= least && number <= most) return number;
  throw misread(
    place.file,
    place.at,
    `"${text}" is not a whole number from ${least} to ${most}`,
  );
}

function truthIn(value: YamlTree, place: SchemaPlace): boolean {
  const text = textIn(value, place);
  if (text === "true" || text === "false") return text === "true";
  throw misread(place.file, place.at, `"${text}" is not true or false`);
}

function positionIn(tree: YamlTree): Position | undefined {
  if (tree.kind === "text") return tree.at;
  return tree.kind === "map" ? tree.entries[0]?.at : undefined;
}

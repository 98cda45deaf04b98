import { badRequest } from "./api_error.ts";
import { type KubeObject, readFields } from "../state/kubernetes_objects.ts";

type ObjectSelector = (object: KubeObject) => boolean;

/** Parses a label selector. `text`: `a=b,c!=d,e,!f,g in (h,i),j notin (k)`; empty selects everything. */
export function labelSelector(text: string): ObjectSelector {
  return all<ObjectLabels>(text, (part) => {
    const [, key = "", not, list] =
      part.match(/^(\S+)\s+(not)?in\s*\((.*)\)$/) ?? [];
    if (list !== undefined) {
      const values = list.split(",").map((one) => one.trim());
      return (labels) =>
        values.includes(labels[key] ?? "") !== (not !== undefined);
    }
    const [, name = "", operator, value] =
      part.match(/^([^=!]+?)\s*(==?|!=)\s*(.*)$/) ?? [];
    if (operator === "!=") return (labels) => labels[name] !== value;
    if (operator !== undefined) return (labels) => labels[name] === value;
    return part.startsWith("!")
      ? (labels) => labels[part.slice(1)] === undefined
      : (labels) => labels[part] !== undefined;
  }, ({ metadata }) => metadata.labels ?? {});
}

/**
 * Parses a field selector.
 *
 * @param text `spec.nodeName=a,status.phase!=Running`; empty selects everything.
 * @throws {ApiError} If it is invalid.
 */
export function fieldSelector(text: string): ObjectSelector {
  return all<KubeObject>(text, (part) => {
    const [, path = "", operator, value] =
      part.match(/^([\w.]+)(==?|!=)(.*)$/) ?? [];
    if (operator === undefined) {
      throw badRequest(
        `invalid selector: '${text}'; can't understand '${part}'`,
      );
    }
    return (object) =>
      (fieldAt(object, path) === value) !== (operator === "!=");
  }, (object) => object);
}

/** Selects objects with all of these labels. `selector`: a label selector in an object, with `matchLabels`. */
export function matchLabels(selector: unknown): ObjectSelector {
  const wanted = Object.entries(readFields(readFields(selector).matchLabels));
  return ({ metadata: { labels = {} } }) =>
    wanted.every(([name, value]) => labels[name] === value);
}

type ObjectLabels = Readonly<Record<string, string>>;

function all<T>(
  text: string,
  read: (part: string) => (of: T) => boolean,
  of: (object: KubeObject) => T,
): ObjectSelector {
  // Do not split inside parentheses.
  const parts = text.split(/,(?![^(]*\))/).map((part) => part.trim());
  const tests = parts.filter((part) => part !== "").map(read);
  return (object) => tests.every((test) => test(of(object)));
}

function fieldAt(object: KubeObject, path: string): string {
  let at: unknown = object;
  for (const name of path.split(".")) at = readFields(at)[name];
  return at === undefined ? "" : String(at);
}

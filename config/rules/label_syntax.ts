/** Keys and values of labels as Kubernetes wants them. */

const name = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const subdomain =
  /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

/** Tells whether a text is `NAME` or `PREFIX/NAME`; the prefix is a lower case DNS name. */
export function isLabelKey(text: string): boolean {
  const slash = text.indexOf("/");
  const prefix = text.slice(0, Math.max(slash, 0));
  return name.test(text.slice(slash + 1)) &&
    (slash < 0 || (prefix.length <= 253 && subdomain.test(prefix)));
}

/** Tells whether a text is empty or has the form of a name, at most 63 characters. */
export function isLabelValue(text: string): boolean {
  return text === "" || name.test(text);
}

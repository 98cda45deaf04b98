/** Commands and flags of talosctl that osctl does not have, and why. */

const remote =
  "osctl runs machines of this computer only; log in there and run osctl";
const bgp = "osctl has no BGP speaker";

/** Reasons by command, or by flag of any command. */
export const notHere: ReadonlyMap<string, string> = new Map([
  ["cluster sync", remote],
  ["remote-provision-launch", remote],
  ["--remote-endpoint", remote],
  ["--with-bgp", bgp],
  ["--with-bgp-clos", bgp],
]);

/** Words that users of other programs type, with the command for them. */
export const meantCommands: ReadonlyMap<string, string> = new Map([
  ["describe", "get <type> <id> --output yaml"],
  ["exec", "debug"],
  ["members", "get members"],
  ["nodes", "get members"],
  ["pods", "containers --kubernetes"],
  ["shell", "debug"],
  ["ssh", "debug"],
  ["status", "health"],
  ["top", "dashboard"],
]);

/** Names of enum values as they are printed. */

/**
 * Finds the name of an enum value.
 *
 * @param names Generated enum, such as `MachineStatusEvent_MachineStage`.
 * @returns Name as the `.proto` file spells it; the number itself in decimal if
 * the enum has no such value, which happens when the node is newer.
 */
export function enumName(
  names: Readonly<Record<string, number>>,
  value: number,
): string {
  const entry = Object.entries(names).find(([, number]) => number === value);
  return entry === undefined ? String(value) : entry[0];
}

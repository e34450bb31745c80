// Lines of a statement: what closed hours say about each month now, minus what was stated about it before. Pure.
import type { UsageSum } from '@berth/usage';

/** A month, workspace and dimension without a difference has no line. */
export function statementLines(sums: readonly UsageSum[], stated: readonly UsageSum[]): UsageSum[] {
  const lines = new Map<string, UsageSum>();
  const add = (sum: UsageSum, sign: 1n | -1n): void => {
    const key = `${sum.month} ${sum.workspaceId} ${sum.billingDimension}`;
    const { micro, pico } = lines.get(key) ?? { micro: 0n, pico: 0n };
    lines.set(key, { ...sum, micro: micro + sign * sum.micro, pico: pico + sign * sum.pico });
  };
  for (const sum of stated) add(sum, -1n);
  for (const sum of sums) add(sum, 1n);
  return [...lines.values()].filter(({ micro, pico }) => micro !== 0n || pico !== 0n);
}

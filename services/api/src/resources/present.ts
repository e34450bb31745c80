import type { WriteCall } from '../http/call.ts';
import type { EventRow } from './events.ts';
import type { ResourceRow } from './record.ts';
import type { Rendered } from './render.ts';
import { renderRow } from './render-rows.ts';
import type { KindRules, RuleContext } from './rules.ts';

/** Renders a row just written as the response. */
export async function present(
  { tx, dependencies, workspace }: WriteCall,
  rules: KindRules,
  { parents }: Pick<RuleContext, 'parents'>,
  row: ResourceRow,
  events: readonly EventRow[],
): Promise<Rendered> {
  return renderRow(tx, rules, row, events, { dependencies, workspace, parents });
}

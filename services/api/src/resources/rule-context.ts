import type { WriteCall } from '../http/call.ts';
import { isObject } from '../json.ts';
import { readAgain } from './read-row.ts';
import { findParent } from './record.ts';
import type { KindRules, RuleContext } from './rules.ts';

/** What the rules of a kind may use of a call that writes. */
export async function ruleContext(call: WriteCall, rules: KindRules): Promise<RuleContext> {
  const { tx, dependencies, workspace, principal } = call;
  const { kind } = rules;
  const { rows } = await findParent(tx, workspace.id, kind, call.params);
  const query = isObject(call.query) ? call.query : {};
  return {
    ...{ tx, dependencies, workspace, principal, kind, query, parents: rows },
    beforeCommit: call.beforeCommit,
    afterCommit: call.afterCommit,
    beforeAnswer: call.beforeAnswer,
    clientGone: call.clientGone,
    trace: call.trace,
    readAgain: (uid) => readAgain(call, rules, uid),
  };
}

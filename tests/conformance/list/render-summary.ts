// Renders the state of the specification as text: statements that are proven, waiting (and for which topic), or need no
// proof.
import type { Statement } from './statements.ts';

function grouped(lines: readonly { readonly heading: string; readonly line: string }[]): string[] {
  const byHeading = Map.groupBy(lines, ({ heading }) => heading);
  return [...byHeading].flatMap(([heading, members]) => [
    `  ${heading} (${members.length})`,
    ...members.map(({ line }) => `    ${line}`),
  ]);
}

/** One line for the end of a run. */
export function renderCounts(statements: readonly Statement[]): string {
  const tested = statements.filter(({ tests }) => tests !== undefined);
  const waiting = statements.filter((statement) => statement.waiting !== undefined);
  const byTopic = [...Map.groupBy(waiting, ({ topic = '' }) => topic)]
    .map(([topic, members]) => `${topic} ${members.length}`)
    .sort();
  return `${tested.length} statements tested, ${waiting.length} waiting${waiting.length === 0 ? '' : ` (${byTopic.join(', ')})`}`;
}

export function renderSummary(statements: readonly Statement[]): string {
  const waiting = statements.filter((statement) => statement.waiting !== undefined);
  const nothing = statements.filter(({ notAStatement }) => notAStatement !== undefined);
  const tested = statements.filter(({ tests }) => tests !== undefined);
  return [
    `${statements.length} statements: ${tested.length} tested, ${waiting.length} waiting, ${nothing.length} not a statement`,
    '',
    'waiting',
    ...grouped(
      waiting.map(({ topic = '', id, says, waiting: why }) => ({ heading: topic, line: `${id}: ${says} – ${why}` })),
    ),
    '',
    'not a statement',
    ...grouped(nothing.map(({ notAStatement = '', id, says }) => ({ heading: notAStatement, line: `${id}: ${says}` }))),
  ].join('\n');
}

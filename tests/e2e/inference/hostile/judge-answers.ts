// Rules for every answer, regardless of the request.

export interface Judged {
  readonly statuses: readonly number[];
  readonly codes: readonly string[];
  /** Violations found, as text. */
  readonly faults: readonly string[];
}

export interface Rules {
  /** Secret words of agents that the sender may not reach. */
  readonly foreignWords: readonly string[];
  readonly workspace: string;
  /** The bytes that were sent; an answer may echo a nonce only if it is in them. */
  readonly sent: Buffer;
}

const header = (answer: string, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)\r$`, 'im').exec(answer.slice(0, answer.indexOf('\r\n\r\n') + 2))?.[1];

export function judgeAnswers(bytes: Buffer, { foreignWords, workspace, sent }: Rules): Judged {
  const text = bytes.toString('latin1');
  // No shape sends text of this form, so an echo cannot be mistaken for an answer.
  const answers = text.split(/(?=HTTP\/1\.1 \d{3} )/).filter((answer) => answer.startsWith('HTTP/1.1 '));
  const statuses = answers.map((answer) => Number(answer.slice(9, 12)));
  const codes = answers.flatMap((answer) => header(answer, 'x-service-error-code') ?? []);
  const faults: string[] = [];
  if (foreignWords.some((word) => text.includes(word))) faults.push("the word of another's agent");
  const strange = text.match(/nonce-[0-9a-f]+-/g)?.find((found) => !sent.includes(found));
  if (strange !== undefined) faults.push(`an answer to another connection, ${strange}`);
  if (text.length > 0 && answers.length === 0) faults.push('bytes that are no answer');
  for (const [index, answer] of answers.entries()) {
    const status = statuses[index] ?? 0;
    if (status >= 500 && !isProven(answer, /^WORKLOAD_/))
      faults.push(`a failure that is nobody's: ${answer.slice(0, 400)}`);
    // A 400 from the agent's HTTP parser lacks the agent's word. It would mean that agent and gateway parsed the
    // request differently.
    if (status === 400 && !isProven(answer, /^BAD_REQUEST$/))
      faults.push(`a refusal that is nobody's: ${answer.slice(0, 400)}`);
    faults.push(...identityFaults(answer, workspace));
  }
  return { statuses, codes, faults };
}

/** True if the platform answered with one of these codes, or the workload itself did, whose answers carry its word. */
function isProven(answer: string, codes: RegExp): boolean {
  if (header(answer, 'x-service-source') !== 'platform') return header(answer, 'x-word') !== undefined;
  return codes.test(header(answer, 'x-service-error-code') ?? '');
}

function identityFaults(answer: string, workspace: string): string[] {
  const echoed = /\{"word":.*\}/.exec(answer)?.[0];
  if (echoed === undefined) return [];
  let raw: string[];
  try {
    raw = JSON.parse(echoed).headers;
  } catch {
    // The echo is split over chunks; foreign words have been looked for already.
    return [];
  }
  const values = (name: string): string[] =>
    raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase().replaceAll('_', '-') === name);
  const faults: string[] = [];
  const named = values('x-service-workspace');
  if (named.length !== 1 || named[0] !== workspace) faults.push(`the agent heard of workspace ${named.join()}`);
  if (values('x-service-workload').join() !== 'guarded') faults.push('the agent heard of another workload');
  for (const name of ['x-service-subject', 'x-service-subject-type', 'x-forwarded-for', 'forwarded', 'x-real-ip'])
    if (values(name).some((value) => value.includes('forged'))) faults.push(`the agent believes a forged ${name}`);
  for (const name of ['x-service-source', 'x-service-anything', 'authorization', 'proxy-authorization'])
    if (values(name).length > 0) faults.push(`the agent heard ${name}`);
  return faults;
}

// Write walk of one request: a single transaction holds the handler's rows, the audit row and, with an Idempotency-Key,
// the stored answer. If the process is killed at any line, either all of it is committed or nothing.
import { enqueue } from '@berth/database';
import { writeAudit } from './audit.ts';
import {
  type BeforeAnswer,
  type ReadCall,
  type Registration,
  type Urgency,
  type WriteCall,
  withCaller,
} from './call.ts';
import { isRetryable } from './database-errors.ts';
import { type IdempotentRequest, rememberAnswer, storedAnswer } from './idempotency.ts';

const maxAttempts = 5;

export async function runWrite(
  registration: Registration,
  call: ReadCall,
  idempotent: IdempotentRequest | undefined,
  share: string,
): Promise<unknown> {
  const prepared = await registration.prepare?.(call);
  // Only the transaction counts against the connection share; the work before and after it holds no connection.
  const { answer, beforeAnswer } = await call.dependencies.connectionShares.run(share, () =>
    commit(registration, call, idempotent, prepared),
  );
  return finishAnswer(call, idempotent, answer, beforeAnswer);
}

async function commit(
  registration: Registration,
  call: ReadCall,
  idempotent: IdempotentRequest | undefined,
  prepared: unknown,
): Promise<Committed> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOnce(registration, call, idempotent, prepared);
    } catch (error) {
      // Two writers deadlocked or competed for a runner's last memory. The transaction was rolled back and runs again.
      if (attempt >= maxAttempts || !isRetryable(error)) throw error;
    }
  }
}

interface Committed {
  readonly answer: unknown;
  readonly beforeAnswer: readonly BeforeAnswer[];
}

async function finishAnswer(
  { database, dependencies }: ReadCall,
  idempotent: IdempotentRequest | undefined,
  made: unknown,
  beforeAnswer: readonly BeforeAnswer[],
): Promise<unknown> {
  let answer = made;
  for (const work of beforeAnswer) answer = await work(answer);
  if (idempotent !== undefined && answer !== made) await rememberAnswer(database, dependencies, idempotent, answer);
  return answer;
}

async function runOnce(
  registration: Registration,
  call: ReadCall,
  idempotent: IdempotentRequest | undefined,
  prepared: unknown,
): Promise<Committed> {
  let target = '';
  const beforeAnswer: BeforeAnswer[] = [];
  const last: (() => Promise<void>)[] = [];
  const after: (() => void)[] = [];
  const answer = await call.database.transaction().execute(async (tx) => {
    if (idempotent !== undefined) {
      const earlier = await storedAnswer(tx, call.dependencies, idempotent);
      if (earlier !== undefined) {
        const { audit, secretAnswer } = call.operation;
        if (secretAnswer === true && audit !== undefined) await writeAudit(tx, call, `${audit}.repeated`, '');
        return earlier.answer;
      }
    }
    const { dependencies, operation, version, params, query, body, requestId, address, trace, clientGone } = call;
    const writeCall: WriteCall = withCaller(call, {
      ...{ dependencies, operation, version, params, query, body, requestId, address, trace, clientGone },
      tx,
      target: (name: string) => {
        target = name;
      },
      beforeCommit: (work: () => Promise<void>) => {
        last.push(work);
      },
      afterCommit: (work: () => void) => {
        after.push(work);
      },
      beforeAnswer: (work: BeforeAnswer) => {
        beforeAnswer.push(work);
      },
      enqueueReconcile: async (uid: string, urgency: Urgency = 'now') => {
        await enqueue(tx, { topic: 'reconcile', key: uid, workspaceId: call.workspace.id, trace });
        if (urgency === 'now') after.push(() => dependencies.notifyOutbox());
      },
    });
    const made = await registration.write?.(writeCall, prepared);
    // A POST that changes nothing, such as an availability check of a name, declares no audit action and writes no row.
    if (call.operation.audit !== undefined) await writeAudit(tx, call, call.operation.audit, target);
    if (idempotent !== undefined) await rememberAnswer(tx, call.dependencies, idempotent, made);
    for (const work of last) await work();
    return made;
  });
  for (const work of after) work();
  return { answer, beforeAnswer };
}

// Creates or replaces a budget. Alerts of the month stay, so no threshold is told twice in a month. What it counts stays too: a
// budget of models that a write without "of" turned into one of usage would refuse nothing any more, and nobody would notice.
import {
  type BudgetOf,
  type putBudget as operation,
  ResourceName,
  requestErrors,
  resourceErrors,
} from '@berth/contract';
import { type DatabaseTransaction, uuidv7 } from '@berth/database';
import { seal } from '@berth/identity';
import { sql } from 'kysely';
import type { ReadCall, WriteCall } from '../http/call.ts';
import { newCallbackSecret } from '../workloads/callback-secret.ts';
import { budgetErrors } from './errors.ts';
import { type BudgetRow, budgetColumns, findBudget } from './record.ts';
import { renderSettings } from './render-budget.ts';

type Call = WriteCall<typeof operation>;

const maxBudgets = 20;

/** Opened before the transaction, which would wait for a second connection otherwise. */
export const openBudgetKey = ({ dependencies }: Pick<ReadCall, 'dependencies'>): Promise<Buffer> =>
  dependencies.keyring.deploymentKey(dependencies.database, 'budgets');

export async function putBudget(call: Call, key: Buffer) {
  const { tx, accountId, body, principal } = call;
  const name = nameOf(call.params.budgetName);
  call.target(`budget/${name}`);
  await lockAccount(tx, accountId);
  if (body.workspace !== undefined) await requireWorkspace(tx, accountId, body.workspace);
  const stored = await findBudget(tx, accountId, name);
  if (stored === undefined) await requireRoom(tx, accountId);
  else if (stored.of !== body.of) throw budgetErrors.budget_of_fixed({ name, of: stored.of });
  const id = stored?.id ?? uuidv7();
  const { callbackSecret, columns } = callbackOf(body.callbackUrl, stored, (secret) =>
    seal(key, secret, `budget ${id}`),
  );
  const settings = {
    amount_usd: String(body.amount),
    thresholds: body.thresholds,
    workspace: body.workspace ?? null,
    ...columns,
    updated_by: principal.subject,
  };
  const row = await (stored === undefined
    ? insert(tx, { id, account_id: accountId, name, of: body.of, created_by: principal.subject, ...settings })
    : update(tx, id, settings));
  return { ...renderSettings(row), ...(callbackSecret === undefined ? {} : { callbackSecret }) };
}

function nameOf(text: string): string {
  const parsed = ResourceName.safeParse(text);
  if (parsed.success) return parsed.data;
  const rule = parsed.error.issues[0]?.message ?? 'is not valid';
  throw requestErrors.invalid_request({
    reason: `path.budgetName: ${rule}. Correct it and send the request again.`,
  });
}

/** Serializes writes of budgets of the account, so that they see each other's rows. */
async function lockAccount(tx: DatabaseTransaction, accountId: string): Promise<void> {
  const account = await tx
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (account === undefined) throw requestErrors.not_found();
}

async function requireWorkspace(tx: DatabaseTransaction, accountId: string, name: string): Promise<void> {
  const workspace = await tx
    .selectFrom('workspaces')
    .select('id')
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .executeTakeFirst();
  if (workspace === undefined) throw resourceErrors.unknown_reference({ field: 'workspace', kind: 'workspace', name });
}

async function requireRoom(tx: DatabaseTransaction, accountId: string): Promise<void> {
  const { count } = await tx
    .selectFrom('budgets')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  if (Number(count) >= maxBudgets) throw budgetErrors.too_many_budgets({ limit: maxBudgets });
}

/** A stored secret stays for as long as there is a callback URL. A new secret is shown by this write alone. */
function callbackOf(url: string | undefined, stored: BudgetRow | undefined, sealed: (secret: string) => string) {
  const kept = stored?.callback_secret ?? undefined;
  if (url === undefined) return { columns: { callback_url: null, callback_secret: null } };
  if (kept !== undefined) return { columns: { callback_url: url, callback_secret: kept } };
  const callbackSecret = newCallbackSecret();
  return { callbackSecret, columns: { callback_url: url, callback_secret: sealed(callbackSecret) } };
}

interface Settings {
  readonly amount_usd: string;
  readonly thresholds: number[];
  readonly workspace: string | null;
  readonly callback_url: string | null;
  readonly callback_secret: string | null;
  readonly updated_by: string;
}

interface NewBudget extends Settings {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly of: BudgetOf;
  readonly created_by: string;
}

const insert = (tx: DatabaseTransaction, budget: NewBudget): Promise<BudgetRow> =>
  tx.insertInto('budgets').values(budget).returning(budgetColumns).executeTakeFirstOrThrow();

const update = (tx: DatabaseTransaction, id: string, settings: Settings): Promise<BudgetRow> =>
  tx
    .updateTable('budgets')
    // The next evaluation takes it first.
    .set({ ...settings, evaluated_at: '-infinity', updated_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .returning(budgetColumns)
    .executeTakeFirstOrThrow();

// An account with a known bill: its usage is in a real ledger, behind a real api.
import { uuidv7 } from '@berth/database';
import { startTestClickhouse } from '../../../engines/test-clickhouse.ts';
import { openTestLedger } from '../../../services/api/test/metrics-ledger.ts';
import type { Answer, Client } from '../../harness/client.ts';
import { startTestApi, type TestApi } from '../../harness/test-api.ts';
import { bill, dimensionOf, type Spent } from './bill.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;
const kibPerGb = 1024 * 1024;

type Query = Readonly<Record<string, string | number>>;
type Resource = Pick<Spent, 'workspace' | 'resourceName'>;

export interface Billing extends AsyncDisposable {
  readonly api: TestApi;
  /** A Monday at midnight; the bill begins here and is two weeks long. */
  readonly startMs: number;
  /** Path of the metrics of the account. */
  readonly path: string;
  /** Window from one hour of the bill to another, by default all of it. */
  window(fromHour?: number, toHour?: number): { readonly startTime: string; readonly endTime: string };
  /** Metrics of the window of the bill, or of the one in the query. */
  ask(query?: Query, client?: Client): Promise<Answer>;
  uuidOf(resource: Resource): string;
  /** Id of the instance that was metered. */
  instanceOf(resource: Resource): string;
  /** Adds usage to the ledger; its hours are closed unless they are to stay open. */
  spend(of: readonly Spent[], options?: { readonly accountId?: string; readonly open?: boolean }): Promise<void>;
}

/** By default the account has the usage of `bill`. */
export async function startBilling(spent: readonly Spent[] = bill): Promise<Billing> {
  await using made = new AsyncDisposableStack();
  const clickhouse = made.use(await startTestClickhouse());
  const api = made.use(await startTestApi({ clickhouse }));
  await api.addWorkspace('other');
  const ledger = made.use(openTestLedger(api.database, clickhouse.url));
  const startMs = mondayBefore(Date.now());
  const idOf = rememberedIds(await workspaceIds(api));
  const uuidOf = ({ workspace, resourceName }: Resource) => idOf(`resource ${workspace}/${resourceName}`);
  const instanceOf = ({ workspace, resourceName }: Resource) => idOf(`instance ${workspace}/${resourceName}`);
  const window = (fromHour = 0, toHour = (2 * weekMs) / hourMs) => ({
    startTime: new Date(startMs + fromHour * hourMs).toISOString(),
    endTime: new Date(startMs + toHour * hourMs).toISOString(),
  });
  const path = `/accounts/${api.accountId}/metrics`;
  const billing = {
    ...{ api, startMs, path, window, uuidOf, instanceOf },
    ask: (query: Query = {}, client = api.admin) => client.get(path, { query: { ...window(), ...query } }),
    async spend(of: readonly Spent[], { accountId = api.accountId, open = false } = {}) {
      const validFrom = { valid_from: new Date(startMs) };
      await api.database.updateTable('prices').set(validFrom).where('account_id', '=', accountId).execute();
      const rows = of.map((each, interval) => ({
        ...meteredIn(startMs + each.hour * hourMs, each),
        ...{ accountId, workspaceId: idOf(`workspace ${each.workspace}`), resourceUid: uuidOf(each) },
        ...{ source: instanceOf(each), interval, part: 0 },
      }));
      await (open ? ledger.store(rows) : ledger.storeClosed(rows));
    },
  };
  await billing.spend(spent);
  const kept = made.move();
  return { ...billing, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** The last Monday that is at least 16 days ago. 1970 began on a Thursday. */
function mondayBefore(nowMs: number): number {
  const firstMondayMs = 4 * dayMs;
  return Math.floor((nowMs - 16 * dayMs - firstMondayMs) / weekMs) * weekMs + firstMondayMs;
}

function rememberedIds(known: ReadonlyMap<string, string>): (key: string) => string {
  const ids = new Map(known);
  return (key) => {
    const id = ids.get(key) ?? uuidv7();
    ids.set(key, id);
    return id;
  };
}

async function workspaceIds({ database }: TestApi): Promise<ReadonlyMap<string, string>> {
  const found = await database.selectFrom('workspaces').select(['id', 'name']).execute();
  return new Map(found.map(({ id, name }) => [`workspace ${name}`, id]));
}

/** Events happen at the beginning of the hour, everything else lasts for the whole of it. */
function meteredIn(fromMs: number, { workspace, resourceName, billingDimension, amount }: Spent) {
  const { resourceType, unit } = dimensionOf(billingDimension);
  const named = { workspace, resourceType, resourceName, dimension: billingDimension, fromMs };
  if (unit === 'count') return { ...named, toMs: fromMs, rate: 0, amount };
  return { ...named, toMs: fromMs + hourMs, rate: unit === 'gbs' ? amount * kibPerGb : amount, amount: 0 };
}

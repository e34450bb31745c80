// Renders a stored row as the resource shown to clients.
import { type Kind, Metadata } from '@berth/contract';
import type { Dependencies } from '../dependencies.ts';
import type { CallerWorkspace } from '../http/call.ts';
import { type EventRow, renderEvent } from './events.ts';
import type { ResourceRow } from './record.ts';
import { maskSecrets } from './secrets.ts';

export interface View {
  readonly dependencies: Dependencies;
  readonly workspace: CallerWorkspace;
  /** Parent rows, outermost first, for kinds that show them. */
  readonly parents: readonly Pick<ResourceRow, 'name' | 'spec'>[];
}

export interface Rendered {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** Adjusts the response for a kind. */
export type RenderOne = (rendered: Rendered, row: ResourceRow, view: View) => Rendered;

export function renderResource(
  kind: Kind,
  row: ResourceRow,
  events: readonly EventRow[] | undefined,
  view: View,
  finish?: RenderOne,
): Rendered {
  const rendered: Rendered = {
    metadata: renderMetadata(row, view),
    spec: maskSecrets(kind, row.spec),
    ...(kind.status === undefined || events === undefined ? {} : { events: events.map(renderEvent) }),
    ...(kind.status === undefined || row.status === null ? {} : { status: row.status }),
    ...(kind.state === undefined ? {} : { state: row.state ?? {} }),
    ...(row.terminated_at === null ? {} : { terminatedAt: row.terminated_at.toISOString() }),
  };
  return onlyDeclared(kind, finish === undefined ? rendered : finish(rendered, row, view));
}

function renderMetadata(row: ResourceRow, { workspace }: View) {
  return {
    name: row.name,
    ...(row.display_name === null ? {} : { displayName: row.display_name }),
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    ...(row.labels === null ? {} : { labels: row.labels }),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    createdBy: row.created_by,
    updatedBy: row.updated_by,
    plan: workspace.account.tier,
    workspace: workspace.name,
  };
}

/** Kinds differ in the fields of their metadata and top level; fields that a kind does not declare are not shown. */
function onlyDeclared(kind: Kind, rendered: Rendered): Rendered {
  const shown = kind.readOnly !== undefined && 'terminatedAt' in kind.readOnly;
  if (kind.metadata === Metadata && (shown || rendered.terminatedAt === undefined)) return rendered;
  const known = kind.metadata.shape;
  const metadata = Object.fromEntries(Object.entries(rendered.metadata).filter(([field]) => field in known));
  const { terminatedAt, ...rest } = rendered;
  return { ...rest, metadata, ...(shown && terminatedAt !== undefined ? { terminatedAt } : {}) };
}

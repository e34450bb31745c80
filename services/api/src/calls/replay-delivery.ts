import { type replayDelivery as operation, requestErrors, Uuid } from '@berth/contract';
import { notifyDeliveries, replayDelivery as replay } from '@berth/triggers';
import type { WriteCall } from '../http/call.ts';
import { deliveryErrors } from './errors.ts';
import { showDelivery } from './read-deliveries.ts';

/** The receiver gets the same body under the same id, so that it can tell what it has handled already. */
export async function replayDelivery(call: WriteCall<typeof operation>) {
  const { tx, workspace, params, dependencies } = call;
  const id = params.deliveryId;
  call.target(`delivery/${id}`);
  const result = Uuid.safeParse(id).success ? await replay(tx, { id, workspaceId: workspace.id }) : 'missing';
  if (result === 'missing') throw requestErrors.not_found();
  const shown = await showDelivery(tx, workspace.id, id);
  if (result === 'open') throw deliveryErrors.delivery_open({ id, nextAt: shown.nextAt ?? shown.createdAt });
  // A lost notification costs the time until the next poll.
  call.afterCommit(() => void notifyDeliveries(dependencies.database).catch(() => {}));
  return shown;
}

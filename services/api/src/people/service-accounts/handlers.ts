import { createServiceAccount, deleteServiceAccount, listServiceAccounts, updateServiceAccount } from '@berth/contract';
import { type Registration, read, write } from '../../http/call.ts';
import { createServiceAccount as create } from './create-service-account.ts';
import { deleteServiceAccount as remove } from './delete-service-account.ts';
import { listServiceAccounts as list } from './list-service-accounts.ts';
import { updateServiceAccount as update } from './update-service-account.ts';

export const serviceAccountHandlers: readonly Registration[] = [
  read(listServiceAccounts, list),
  write(createServiceAccount, create),
  write(updateServiceAccount, update),
  write(deleteServiceAccount, remove),
];

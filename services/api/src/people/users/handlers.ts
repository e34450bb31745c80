import { inviteUser, listUsers, removeUser, updateUserRole } from '@berth/contract';
import { type Registration, read, write } from '../../http/call.ts';
import { inviteUser as invite } from './invite-user.ts';
import { listUsers as list } from './list-users.ts';
import { removeUser as remove } from './remove-user.ts';
import { updateUserRole as updateRole } from './update-user-role.ts';

export const userHandlers: readonly Registration[] = [
  read(listUsers, list),
  write(inviteUser, invite),
  write(updateUserRole, updateRole),
  write(removeUser, remove),
];

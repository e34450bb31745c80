import {
  checkWorkspaceAvailability,
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  leaveWorkspace,
  listWorkspaces,
  updateWorkspace,
} from '@berth/contract';
import { type Registration, read, write } from '../../http/call.ts';
import { checkAvailability } from './check-availability.ts';
import { createForCaller } from './create-for-caller.ts';
import { deleteWorkspace as remove } from './delete-workspace.ts';
import { getWorkspace as get } from './get-workspace.ts';
import { leaveWorkspace as leave } from './leave-workspace.ts';
import { listWorkspaces as list } from './list-workspaces.ts';
import { updateWorkspace as update } from './update-workspace.ts';

export const workspaceHandlers: readonly Registration[] = [
  read(listWorkspaces, list),
  write(createWorkspace, createForCaller),
  read(checkWorkspaceAvailability, checkAvailability),
  read(getWorkspace, get),
  write(updateWorkspace, update),
  write(deleteWorkspace, remove),
  write(leaveWorkspace, leave),
];

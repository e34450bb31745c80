import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const day = 24 * 60 * 60 * 1000;
const emails = (users: { email: string }[]) => users.map(({ email }) => email);

/** A new workspace with one admin, so that tests do not see each other's users. */
async function place(name: string) {
  await api.addWorkspace(name);
  return api.admin.with({ workspace: name });
}

test('an invitation is listed, found by whom it is for, accepted, and then a membership', async () => {
  const inside = await place('welcome');
  const guest = await api.user();
  const invited = await inside.post('/users', { email: guest.email.toUpperCase(), role: 'admin' });
  expect(invited.body).toMatchObject({ email: guest.email, role: 'admin', workspace: 'welcome' });
  expect(Date.parse(invited.body.expiresAt) - Date.parse(invited.body.createdAt)).toBe(7 * day);
  expect((await inside.get('/users')).body).toMatchObject([
    { email: 'owner@example.com', accepted: true, role: 'admin' },
    { email: guest.email, accepted: false, expired: false, role: 'admin', source: 'invitation' },
  ]);
  expect((await guest.client.get('/workspaces/welcome')).status).toBe(404);
  expect((await guest.client.get('/profile/invitations')).body).toMatchObject([
    {
      email: guest.email,
      role: 'admin',
      type: 'workspace',
      workspace: { name: 'welcome' },
      invitedBy: { email: 'owner@example.com' },
      workspaceDetails: { user_number: 1, emails: [] },
    },
  ]);
  const joined = await guest.client.post('/workspaces/welcome/join');
  expect(joined.body).toMatchObject({ email: guest.email, workspace: { name: 'welcome', status: 'ready' } });
  expect((await guest.client.get('/profile/invitations')).body).toEqual([]);
  expect((await guest.client.get('/workspaces')).body).toMatchObject([{ name: 'welcome' }]);
  const users = (await guest.client.with({ workspace: 'welcome' }).get('/users')).body;
  expect(users).toMatchObject([{}, { sub: guest.id, accepted: true, source: 'invitation' }]);
  expect((await guest.client.post('/workspaces/welcome/join')).status).toBe(404);
});

test('joining a workspace lets one see its account, not administer it', async () => {
  const inside = await place('visited');
  const guest = await api.user();
  await inside.post('/users', { email: guest.email, role: 'admin' });
  await guest.client.post('/workspaces/visited/join');
  const [account] = (await guest.client.get('/accounts')).body;
  expect(account).toMatchObject({ id: api.accountId });
  expect(account.spec).not.toHaveProperty('admins');
  expect(account.metadata).not.toHaveProperty('ownerEmail');
  expect((await guest.client.post('/workspaces', { name: 'mine-now' })).status).toBe(403);
});

test('inviting again while the invitation is open renews it', async () => {
  const inside = await place('renewed');
  const guest = await api.user();
  await inside.post('/users', { email: guest.email, role: 'admin' });
  api.advance(8 * day);
  expect((await inside.get('/users')).body[1]).toMatchObject({ accepted: false, expired: true });
  expect((await guest.client.get('/profile/invitations')).body).toEqual([]);
  const late = await guest.client.post('/workspaces/renewed/join');
  expect(late.status).toBe(404);
  expect((await inside.post('/users', { email: guest.email })).body).toMatchObject({ role: 'member' });
  expect((await inside.get('/users')).body.slice(1)).toMatchObject([{ expired: false, role: 'member' }]);
  expect((await guest.client.post('/workspaces/renewed/join')).status).toBe(200);
});

test('a member is not invited again', async () => {
  const inside = await place('inside');
  const member = await api.user({ memberOf: 'inside' });
  const answer = await inside.post('/users', { email: member.email });
  expect([answer.status, answer.body.error]).toEqual([409, 'already_member']);
  expect(answer.body.message).toContain('Change their role');
});

test('a declined or withdrawn invitation is gone, and may be made anew', async () => {
  const inside = await place('declined');
  const guest = await api.user();
  await inside.post('/users', { email: guest.email });
  expect((await guest.client.post('/workspaces/declined/decline')).body).toMatchObject({ email: guest.email });
  expect((await guest.client.post('/workspaces/declined/join')).status).toBe(404);
  expect((await inside.get('/users')).body).toHaveLength(1);
  await inside.post('/users', { email: guest.email });
  expect((await inside.delete(`/users/${guest.email}`)).text).toBe('');
  expect((await guest.client.post('/workspaces/declined/join')).status).toBe(404);
  await inside.post('/users', { email: guest.email });
  expect((await guest.client.post('/workspaces/declined/join')).status).toBe(200);
});

test('an invitation of someone else, none at all and a missing workspace look the same', async () => {
  const inside = await place('discreet');
  const [guest, other] = [await api.user(), await api.user()];
  await inside.post('/users', { email: guest.email });
  for (const verb of ['join', 'decline']) {
    const foreign = await other.client.post(`/workspaces/discreet/${verb}`);
    const missing = await other.client.post(`/workspaces/never-was/${verb}`);
    expect(foreign.status).toBe(404);
    expect(foreign.text).toBe(missing.text);
  }
});

test('a role is changed by subject, by e-mail and while still invited', async () => {
  const inside = await place('roles');
  const member = await api.user({ memberOf: 'roles' });
  const guest = await api.user();
  await inside.post('/users', { email: guest.email });
  expect((await member.client.post('/users', { email: 'x@example.com' })).body.error).toBe('role_required');
  expect((await inside.put(`/users/${member.id}`, { role: 'admin' })).body).toMatchObject({ role: 'admin' });
  expect((await member.client.post('/users', { email: 'x@example.com' })).status).toBe(200);
  expect((await inside.put(`/users/${member.email.toUpperCase()}`, { role: 'member' })).body).toMatchObject({
    role: 'member',
    sub: member.id,
  });
  expect((await member.client.post('/users', { email: 'y@example.com' })).body.error).toBe('role_required');
  expect((await inside.put(`/users/${guest.email}`, { role: 'admin' })).body).toMatchObject({
    accepted: false,
    role: 'admin',
  });
  await guest.client.post('/workspaces/roles/join');
  expect((await guest.client.with({ workspace: 'roles' }).delete(`/users/${member.id}`)).status).toBe(200);
  expect((await inside.put('/users/nobody', { role: 'admin' })).status).toBe(404);
  expect((await inside.put(`/users/${member.id}`, { role: 'owner' })).status).toBe(400);
});

test('someone removed is out at once, while their key works elsewhere', async () => {
  const inside = await place('removed');
  const member = await api.user({ memberOf: 'removed' });
  expect((await member.client.get('/drives')).status).toBe(200);
  expect((await inside.delete(`/users/${member.email}`)).status).toBe(200);
  expect((await member.client.get('/drives')).body.error).toBe('workspace_forbidden');
  expect((await member.client.get('/workspaces')).body).toEqual([]);
  expect((await inside.delete(`/users/${member.email}`)).status).toBe(404);
});

test('a member of another workspace has no access here', async () => {
  const inside = await place('here');
  await place('there');
  const other = await api.user({ memberOf: 'there' });
  expect((await inside.put(`/users/${other.id}`, { role: 'admin' })).status).toBe(404);
  expect((await inside.delete(`/users/${other.email}`)).status).toBe(404);
  expect(emails((await inside.get('/users')).body)).toEqual(['owner@example.com']);
});

describe('the last admin', () => {
  test('is neither removed nor demoted and cannot leave, and is told what to do', async () => {
    const inside = await place('alone');
    const answers = [
      await inside.delete('/users/owner@example.com'),
      await inside.put('/users/owner@example.com', { role: 'member' }),
      await inside.delete('/workspaces/alone/leave'),
    ];
    for (const { status, body } of answers) {
      expect([status, body.error]).toEqual([409, 'last_admin']);
      expect(body.message).toContain('Make someone else an admin first');
    }
    expect((await inside.put('/users/owner@example.com', { role: 'admin' })).status).toBe(200);
    const second = await api.user({ memberOf: 'alone', role: 'admin' });
    expect((await inside.delete('/workspaces/alone/leave')).body).toMatchObject({ name: 'alone' });
    expect((await inside.get('/workspaces/alone')).status).toBe(404);
    expect((await second.client.delete('/workspaces/alone/leave')).status).toBe(409);
  });

  test('stays when all admins leave at the same moment', async () => {
    await place('exodus');
    const admins = await Promise.all([1, 2, 3].map(() => api.user({ memberOf: 'exodus', role: 'admin' })));
    const leaving = [api.admin, ...admins.map(({ client }) => client)];
    const answers = await Promise.all(leaving.map((client) => client.delete('/workspaces/exodus/leave')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 409]);
  });

  test('may not be a service account', async () => {
    const inside = await place('robots');
    const robot = await inside.post('/service_accounts', { name: 'robot', role: 'admin' });
    const { apiKey } = (await inside.post(`/service_accounts/${robot.body.client_id}/api_keys`, {})).body;
    expect((await inside.delete('/workspaces/robots/leave')).status).toBe(409);
    const asRobot = inside.with({ key: apiKey });
    expect((await asRobot.delete('/users/owner@example.com')).status).toBe(409);
    const left = await asRobot.delete('/workspaces/robots/leave');
    expect([left.status, left.body.error]).toEqual([403, 'user_required']);
  });
});

test('a member leaves freely and is a stranger at once', async () => {
  await place('passing');
  const member = await api.user({ memberOf: 'passing' });
  expect((await member.client.delete('/workspaces/passing/leave')).status).toBe(200);
  expect((await member.client.get('/drives')).status).toBe(403);
});

test.each(['nonsense', '', 'a@b', `${'x'.repeat(250)}@example.com`])('%j is not invited', async (email) => {
  expect((await api.admin.post('/users', { email })).status).toBe(400);
});

// What the seeded workspace holds of people and rights: three accounts, two permission sets, a role above another, a key, an application.
import { createHash } from 'node:crypto'
import type { ConsoleBench } from './open-console.ts'

/** A password that fits the default options. */
export const password = 'correct horse battery'

/** Makes an account with {@link password} and answers its id. */
export async function makePerson(bench: ConsoleBench, name: string, username: string): Promise<string> {
  const { user } = await bench.api<{ user: { id: string } }>('POST', '/auth/admin/create-user', {
    email: `${username}@example.org`,
    name,
    password,
    data: { username },
  })
  return user.id
}

/** Stores a permission set, profile or role. */
export async function putRight(
  bench: ConsoleBench,
  type: 'permission' | 'profile' | 'role',
  name: string,
  item: Record<string, unknown>,
): Promise<void> {
  await bench.api('PUT', `/meta/${type}/${name}`, { type, name, item: { name, ...item } })
}

/** Lets tests sign in more often than people do. */
export async function widenLimits(bench: ConsoleBench): Promise<void> {
  await bench.api('PATCH', '/settings', { rateLimits: { auth: { burst: 100_000, refillPerSecond: 10_000 } } })
}

/** People and rights of the seeded workspace. */
export async function seedAccess(bench: ConsoleBench): Promise<void> {
  await widenLimits(bench)
  await putRight(bench, 'permission', 'editors', {
    label: 'Editors',
    objects: { '*': { allowRead: true }, book: { allowRead: true, allowEdit: true } },
    fields: { 'book.price': { readable: true, editable: false } },
    systemPermissions: ['export_data'],
    rowLevelSecurity: [{ name: 'novels', object: 'book', actions: ['read'], condition: 'record.genre == "novel"' }],
  })
  await putRight(bench, 'permission', 'shop', { label: 'Shop' })
  await putRight(bench, 'role', 'chief', { label: 'Chief', permissionSets: ['editors'] })
  await putRight(bench, 'role', 'clerk', { label: 'Clerk', parent: 'chief', permissionSets: ['shop'] })
  const ada = await makePerson(bench, 'Ada Lovelace', 'ada')
  await bench.api('PUT', `/permissions/assignments/${ada}`, {
    profile: 'readonly',
    roles: ['chief'],
    permissionSets: ['shop'],
  })
  await makePerson(bench, 'Grace Hopper', 'grace')
  const alan = await makePerson(bench, 'Alan Turing', 'alan')
  await bench.api('POST', '/auth/admin/ban-user', { userId: alan, banReason: 'Left the company' })
  await bench.api('POST', '/auth/request-password-reset', { email: 'grace@example.org' })
  await bench.api('POST', '/keys', { name: 'Reports' })
  const client = await bench.api<{ client_id: string }>('POST', '/auth/oauth2/create-client', {
    client_name: 'Reports',
    redirect_uris: ['http://127.0.0.1:9/back'],
    scope: 'openid profile email offline_access',
    application_type: 'native',
  })
  await allowApplication(bench, client.client_id)
}

/** Lets an application know who the owner is, as its page would. */
async function allowApplication(bench: ConsoleBench, clientId: string): Promise<void> {
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: 'http://127.0.0.1:9/back',
    scope: 'openid profile email offline_access',
    state: 's',
    code_challenge: createHash('sha256').update('a proof of the seed').digest('base64url'),
    code_challenge_method: 'S256',
  })
  const asked = await fetch(`${bench.host.url}/api/v1/auth/oauth2/authorize?${query}`, {
    headers: { authorization: `Bearer ${bench.host.token}` },
    redirect: 'manual',
  })
  const page = asked.headers.get('location') ?? ''
  const signed = page.slice(page.lastIndexOf('?') + 1)
  await bench.api('POST', '/auth/oauth2/consent', { accept: true, oauth_query: signed })
}

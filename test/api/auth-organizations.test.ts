// Organizations and teams, and the active organization of a caller (D-32, D-41; safety C6).
import type {} from '#main/plugins/auth/api.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthHost } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'

let host: AuthHost
let founder: string
let organizationId: string

beforeAll(async () => {
  host = await createAuthHost({ plugins: { organization: true } })
  await host.account('wes')
  founder = await host.signIn('wes')
  const made = await host.as(founder, 'POST', '/auth/organization/create', { name: 'Acme', slug: 'acme' })
  expect(made.status).toBe(200)
  organizationId = made.body.id
})

afterAll(() => host.stop())

const identity = (token: string) => host.host.plugins.identities().byBearer(token)
const service = () => host.host.plugins.service('auth')!

describe('an organization', () => {
  it('is that of its maker, who works in it', async () => {
    const list = await host.as(founder, 'GET', '/auth/organization/list')
    expect(list.body).toMatchObject([{ id: organizationId, slug: 'acme' }])
    expect((await host.as(founder, 'POST', '/auth/organization/check-slug', { slug: 'acme' })).status).not.toBe(200)
    expect(identity(founder)?.organizationId).toBe(organizationId)
    expect((await host.anonymous('GET', '/auth/config')).body.features.organization).toBe(true)
    expect(service().hasOrganizations).toBe(true)
  })

  it('takes people in by invitation only, and an invitation opens nothing by itself', async () => {
    const { id } = await host.account('xia')
    await host.post('/auth/admin/update-user', { userId: id, data: { emailVerified: true } })
    const guest = await host.signIn('xia')
    const invited = await host.as(founder, 'POST', '/auth/organization/invite-member', {
      email: 'xia@example.org',
      role: 'member',
    })
    expect(invited.status).toBe(200)
    expect(await host.waitingMail('xia@example.org', 'invitation')).toContain(invited.body.id)
    const outside = await host.as(guest, 'POST', '/auth/organization/set-active', { organizationId })
    expect(outside.status).toBe(403)
    expect(
      (await host.as(guest, 'GET', `/auth/organization/list-members?organizationId=${organizationId}`)).status,
    ).toBe(403)
    expect(service().memberships(id)).toEqual([])
    await host.account('yan')
    const stranger = await host.signIn('yan')
    const stolen = await host.as(stranger, 'POST', '/auth/organization/accept-invitation', {
      invitationId: invited.body.id,
    })
    expect(stolen.status).toBe(403)
    const joined = await host.as(guest, 'POST', '/auth/organization/accept-invitation', {
      invitationId: invited.body.id,
    })
    expect(joined.status).toBe(200)
    expect(service().memberships(id)).toEqual([{ organizationId, role: 'member', teams: [] }])
    await host.as(guest, 'POST', '/auth/organization/set-active', { organizationId })
    expect(identity(guest)?.organizationId).toBe(organizationId)
  })

  it('keeps what a client puts beside it, and can be made without going there', async () => {
    await host.account('zoe')
    const zoe = await host.signIn('zoe')
    const first = await host.as(zoe, 'POST', '/auth/organization/create', {
      name: 'First',
      slug: 'first',
      metadata: { plan: { seats: 5 } },
    })
    await host.as(zoe, 'POST', '/auth/organization/create', {
      name: 'Second',
      slug: 'second',
      keepCurrentActiveOrganization: true,
    })
    expect(identity(zoe)?.organizationId).toBe(first.body.id)
    const full = `/auth/organization/get-full-organization?organizationId=${first.body.id}`
    const kept = async () => JSON.parse((await host.as(zoe, 'GET', full)).body.metadata)
    expect(await kept()).toEqual({ plan: { seats: 5 } })
    const change = { organizationId: first.body.id, data: { metadata: { plan: 'small' } } }
    expect((await host.as(zoe, 'POST', '/auth/organization/update', change)).status).toBe(200)
    expect(await kept()).toEqual({ plan: 'small' })
  })

  it('stays the active one of whoever asks for another one that is not theirs', async () => {
    const other = (await host.as(founder, 'GET', '/auth/organization/list')).body as { id: string; slug: string }[]
    expect(other).toMatchObject([{ id: organizationId, slug: 'acme' }])
    const zoe = await host.signIn('zoe')
    const [first] = (await host.as(zoe, 'GET', '/auth/organization/list')).body as { id: string }[]
    await host.as(zoe, 'POST', '/auth/organization/set-active', { organizationId: first!.id })
    const full = '/auth/organization/get-full-organization'
    const active = '/auth/organization/set-active'
    const reason = 'USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION'
    for (const [expected, call] of [
      [[403, reason], () => host.as(zoe, 'GET', `${full}?organizationId=${organizationId}`)],
      [[403, reason], () => host.as(zoe, 'GET', `${full}?organizationSlug=acme`)],
      [[404, 'ORGANIZATION_NOT_FOUND'], () => host.as(zoe, 'GET', `${full}?organizationId=none`)],
      [[404, 'ORGANIZATION_NOT_FOUND'], () => host.as(zoe, 'GET', `${full}?organizationSlug=none`)],
      [[403, reason], () => host.as(zoe, 'POST', active, { organizationId })],
      [[403, reason], () => host.as(zoe, 'POST', active, { organizationSlug: 'acme' })],
      [[403, reason], () => host.as(zoe, 'POST', active, { organizationId: 'none' })],
      [[404, 'ORGANIZATION_NOT_FOUND'], () => host.as(zoe, 'POST', active, { organizationSlug: 'none' })],
    ] as const) {
      const { status, body } = await call()
      expect([status, body.code]).toEqual(expected)
      expect(identity(zoe)?.organizationId).toBe(first!.id)
    }
    expect((await host.as(zoe, 'POST', active, { organizationSlug: 'second' })).body.slug).toBe('second')
    expect((await host.as(zoe, 'POST', active, { organizationId: null })).status).toBe(200)
    expect(identity(zoe)?.organizationId).toBeNull()
  })

  it('has teams, which other plugins see', async () => {
    const made = await host.as(founder, 'POST', '/auth/organization/create-team', { name: 'Sales' })
    expect(made.status).toBe(200)
    const members = (await host.as(founder, 'GET', '/auth/organization/list-members')).body.members as {
      userId: string
      user: { name: string }
    }[]
    const xia = members.find(({ user }) => user.name === 'xia')!.userId
    const added = await host.as(founder, 'POST', '/auth/organization/add-team-member', {
      teamId: made.body.id,
      userId: xia,
    })
    expect(added.status).toBe(200)
    expect(service().memberships(xia)[0]!.teams).toEqual([made.body.id])
    expect(service().teamMembers(made.body.id)).toContain(xia)
    expect(service().teamMembers('none')).toEqual([])
    const guest = await host.signIn('xia')
    await host.as(guest, 'POST', '/auth/organization/set-active', { organizationId })
    const refused = await host.as(guest, 'POST', '/auth/organization/create-team', { name: 'Mine' })
    expect(refused.body.error.code).toBe('permission_denied')
  })

  it('shows its teams to its members, and to nobody else', async () => {
    const teams = (await host.as(founder, 'GET', '/auth/organization/list-teams')).body as {
      id: string
      name: string
    }[]
    const sales = teams.find(({ name }) => name === 'Sales')!
    const path = `/auth/organization/list-team-members?teamId=${sales.id}`
    const shown = await host.as(founder, 'GET', path)
    expect([shown.status, shown.body.length]).toEqual([200, 1])
    const outside = await host.as(await host.signIn('yan'), 'GET', path)
    const unknown = await host.as(founder, 'GET', '/auth/organization/list-team-members?teamId=none')
    expect([outside.status, unknown.status]).toEqual([404, 404])
    expect(
      service()
        .teams(organizationId)
        .map(({ name }) => name),
    ).toContain('Sales')
  })

  it('is worked in at once by whoever is in no other', async () => {
    expect(identity(await host.signIn('xia'))?.organizationId).toBe(organizationId)
    expect(identity(await host.signIn('yan'))?.organizationId).toBeNull()
  })

  it('is left at once by whoever is taken out of it (C6)', async () => {
    const guest = await host.signIn('xia')
    await host.as(guest, 'POST', '/auth/organization/set-active', { organizationId })
    expect(identity(guest)?.organizationId).toBe(organizationId)
    const removed = await host.as(founder, 'POST', '/auth/organization/remove-member', {
      memberIdOrEmail: 'xia@example.org',
    })
    expect(removed.status).toBe(200)
    expect(identity(guest)?.organizationId).toBeNull()
    expect(
      (await host.as(guest, 'GET', `/auth/organization/list-members?organizationId=${organizationId}`)).status,
    ).toBe(403)
  })

  it('tells listeners of its changes', async () => {
    host.takeEvents()
    await host.as(founder, 'POST', '/auth/organization/update', { data: { name: 'Acme Ltd' } })
    await host.as(founder, 'GET', '/auth/organization/list')
    const events = host.takeEvents()
    expect(events.map(({ type, payload }) => [type, (payload as { operation: string }).operation])).toEqual([
      ['auth.organization_changed', 'updateOrganization'],
    ])
  })
})

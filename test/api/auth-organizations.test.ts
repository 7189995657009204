// Organizations and teams, and the active organization of a caller (D-32, D-41; safety C6).
import type {} from '#main/plugins/auth/api.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { statement } from '#main/kernel/database.ts'
import { createAuthHost, password } from '../support/auth-host.ts'
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

  it('is changed by nobody who acts as somebody else: it would outlast their hour (C10)', async () => {
    const { users } = (await host.get('/auth/admin/list-users?searchValue=wes')).body
    const begun = await host.post('/auth/admin/impersonate-user', { userId: users[0].id })
    const acting = begun.body.session.token as string
    for (const [path, body] of [
      ['invite-member', { email: 'mine@example.org', role: 'admin', organizationId }],
      ['create', { name: 'Mine', slug: 'mine' }],
      ['leave', { organizationId }],
    ] as const) {
      const refused = await host.as(acting, 'POST', `/auth/organization/${path}`, body)
      expect([refused.status, refused.body.error?.details.reason], path).toEqual([403, 'IMPERSONATED'])
    }
    const working = await host.as(acting, 'POST', '/auth/organization/set-active', { organizationId })
    expect(working.status).toBe(200)
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
    // Clients of the library ask whether there is an answer.
    const none = [
      await host.as(zoe, 'POST', active, { organizationId: null }),
      await host.as(zoe, 'POST', active, {}),
      await host.as(zoe, 'GET', full),
    ]
    expect(none.map(({ status, body }) => [status, body])).toEqual(none.map(() => [200, null]))
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

  it('takes in by the invitations of those alone who may invite when they are accepted (D-406)', async () => {
    const names = ['ida', 'ned', 'oda'] as const
    const tokens: Record<string, string> = {}
    for (const name of names) {
      const { id } = await host.account(name)
      await host.post('/auth/admin/update-user', { userId: id, data: { emailVerified: true } })
      tokens[name] = await host.signIn(name)
    }
    const [ida, ned, oda] = names.map((name) => tokens[name]!)
    const invite = async (token: string, name: string, rest: object = {}) => {
      const body = { email: `${name}@example.org`, role: 'admin', organizationId, ...rest }
      const invited = await host.as(token, 'POST', '/auth/organization/invite-member', body)
      expect(invited.status, JSON.stringify(invited.body)).toBe(200)
      return invited.body.id as string
    }
    const accept = async (token: string, invitationId: string) => {
      const { status, body } = await host.as(token, 'POST', '/auth/organization/accept-invitation', { invitationId })
      return [status, body.code]
    }
    const remove = (memberIdOrEmail: string) =>
      host.as(founder, 'POST', '/auth/organization/remove-member', { memberIdOrEmail })
    const reason = 'INVITER_IS_NO_LONGER_A_MEMBER_OF_THE_ORGANIZATION'
    expect(await accept(ida!, await invite(founder, 'ida'))).toEqual([200, undefined])
    const [forNed, forOda] = [await invite(ida!, 'ned'), await invite(ida!, 'oda')]

    expect((await remove('ida@example.org')).status).toBe(200)
    expect(await accept(ned!, forNed)).toEqual([403, reason])
    const shown = await host.as(ned!, 'GET', `/auth/organization/get-invitation?id=${forNed}`)
    expect([shown.status, shown.body.code]).toEqual([403, reason])
    // Whoever invites again takes the invitation on.
    expect(await invite(founder, 'ned', { resend: true })).toBe(forNed)
    expect(await accept(ned!, forNed)).toEqual([200, undefined])
    expect(await accept(ida!, await invite(founder, 'ida'))).toEqual([200, undefined])

    // Less than an admin, and shut out, are nobody who invites either.
    const members = await host.as(founder, 'GET', `/auth/organization/list-members?organizationId=${organizationId}`)
    const { id: memberId, userId } = members.body.members.find(
      (one: { user: { email: string } }) => one.user.email === 'ida@example.org',
    )
    const roleOf = (role: string) =>
      host.as(founder, 'POST', '/auth/organization/update-member-role', { memberId, role, organizationId })
    expect((await roleOf('member')).status).toBe(200)
    expect(await accept(oda!, forOda)).toEqual([403, reason])
    expect((await roleOf('admin')).status).toBe(200)
    await host.post('/auth/admin/ban-user', { userId })
    expect(await accept(oda!, forOda)).toEqual([403, reason])
    await host.post('/auth/admin/unban-user', { userId })
    expect(await accept(oda!, forOda)).toEqual([200, undefined])
    for (const name of names) await remove(`${name}@example.org`)
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

  it('keeps an owner while anybody is in it, whoever goes (D-394)', async () => {
    const ids: Record<string, string> = {}
    const tokens: Record<string, string> = {}
    for (const name of ['abe', 'bee', 'cid', 'dee']) {
      const { id } = await host.account(name)
      await host.post('/auth/admin/update-user', { userId: id, data: { emailVerified: true } })
      ids[name] = id
      tokens[name] = await host.signIn(name)
    }
    const made = await host.as(tokens['abe']!, 'POST', '/auth/organization/create', { name: 'Heirs', slug: 'heirs' })
    for (const [name, role] of [
      ['bee', 'member'],
      ['cid', 'admin'],
      ['dee', 'member'],
    ] as const) {
      const email = `${name}@example.org`
      const invitation = { email, role, organizationId: made.body.id }
      const invited = await host.as(tokens['abe']!, 'POST', '/auth/organization/invite-member', invitation)
      const invitationId = invited.body.id
      const joined = await host.as(tokens[name]!, 'POST', '/auth/organization/accept-invitation', { invitationId })
      expect(joined.status, JSON.stringify(joined.body)).toBe(200)
    }
    const roleOf = (name: string): string | undefined => service().memberships(ids[name]!)[0]?.role
    await host.post('/auth/admin/remove-user', { userId: ids['dee'] })
    expect(['abe', 'bee', 'cid'].map(roleOf)).toEqual(['owner', 'member', 'admin'])
    // Its admins come first, then whoever joined first.
    expect((await host.as(tokens['abe']!, 'POST', '/auth/delete-user', { password })).status).toBe(200)
    expect(['bee', 'cid'].map(roleOf)).toEqual(['member', 'owner'])
    expect((await host.post('/auth/admin/remove-user', { userId: ids['cid'] })).status).toBe(200)
    expect(roleOf('bee')).toBe('owner')
    const change = { organizationId: made.body.id, data: { name: 'Heir' } }
    expect((await host.as(tokens['bee']!, 'POST', '/auth/organization/update', change)).status).toBe(200)
    const gone = { organizationId: made.body.id }
    expect((await host.as(tokens['bee']!, 'POST', '/auth/organization/delete', gone)).status).toBe(200)
  })

  it('takes in more people than the library would by itself', async () => {
    const made = await host.as(founder, 'POST', '/auth/organization/create', { name: 'Crowd', slug: 'crowd' })
    const at = new Date().toISOString()
    await host.host.database.write('test', (tx) => {
      for (let number = 0; number < 120; number += 1) {
        const id = `crowd-${number}`
        tx.run(
          statement(
            'INSERT INTO auth_user (id, name, email, emailVerified, createdAt, updatedAt) VALUES (?, ?, ?, 1, ?, ?)',
            [id, id, `${id}@example.org`, at, at],
          ),
        )
        tx.run(
          statement('INSERT INTO auth_member (id, organizationId, userId, role, createdAt) VALUES (?, ?, ?, ?, ?)', [
            `m-${number}`,
            made.body.id,
            id,
            'member',
            at,
          ]),
        )
        tx.run(
          statement(
            'INSERT INTO auth_invitation (id, organizationId, email, role, status, expiresAt, createdAt, inviterId) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
            [
              `i-${number}`,
              made.body.id,
              `i${number}@example.org`,
              'member',
              'pending',
              '2999-01-01T00:00:00.000Z',
              at,
              'crowd-0',
            ],
          ),
        )
      }
    })
    const invitation = { email: 'yan@example.org', role: 'member', organizationId: made.body.id }
    const invited = await host.as(founder, 'POST', '/auth/organization/invite-member', invitation)
    expect(invited.status, JSON.stringify(invited.body)).toBe(200)
    const { body } = await host.get('/auth/admin/list-users?searchValue=yan@example.org')
    await host.post('/auth/admin/update-user', { userId: body.users[0].id, data: { emailVerified: true } })
    const accepted = { invitationId: invited.body.id }
    const joined = await host.as(await host.signIn('yan'), 'POST', '/auth/organization/accept-invitation', accepted)
    expect(joined.status, JSON.stringify(joined.body)).toBe(200)
    const listed = await host.as(founder, 'GET', `/auth/organization/list-members?organizationId=${made.body.id}`)
    expect([listed.body.members.length, listed.body.total]).toEqual([122, 122])
    const whole = await host.as(
      founder,
      'GET',
      `/auth/organization/get-full-organization?organizationId=${made.body.id}`,
    )
    expect([whole.body.members.length, whole.body.invitations.length]).toEqual([122, 121])
    // An owner counts wherever it stands among them.
    const promoted = { memberId: 'm-119', role: 'owner', organizationId: made.body.id }
    expect((await host.as(founder, 'POST', '/auth/organization/update-member-role', promoted)).status).toBe(200)
    const left = await host.as(founder, 'POST', '/auth/organization/leave', { organizationId: made.body.id })
    expect(left.status, JSON.stringify(left.body)).toBe(200)
  })
})

describe('what clients of the library ask about members and teams', () => {
  const at = (path: string) => `/auth/organization/${path}`
  const get = (token: string, path: string) => host.as(token, 'GET', at(path))
  const post = (token: string, path: string, body: object) => host.as(token, 'POST', at(path), body)
  /** An organization of somebody new, with a team. */
  const found = async (name: string): Promise<{ token: string; id: string; slug: string; teamId: string }> => {
    await host.account(name)
    const token = await host.signIn(name)
    const { id, slug } = (await post(token, 'create', { name, slug: `of-${name}` })).body
    const teamId = (await post(token, 'create-team', { name: 'Team' })).body.id
    return { token, id, slug, teamId }
  }
  const join = async (by: string, name: string, invitation: object = {}): Promise<{ id: string; token: string }> => {
    const { id, email } = await host.account(name)
    await host.post('/auth/admin/update-user', { userId: id, data: { emailVerified: true } })
    const token = await host.signIn(name)
    const invited = await post(by, 'invite-member', { email, role: 'member', ...invitation })
    expect((await post(token, 'accept-invitation', { invitationId: invited.body.id })).status).toBe(200)
    return { id, token }
  }

  it('lists members of the organization that is named, in the order and on the condition that is asked for', async () => {
    const [mine, theirs] = [await found('lea'), await found('lou')]
    const { id } = await join(mine.token, 'lin')
    const emails = async (token: string, query: string): Promise<string[]> =>
      (await get(token, `list-members?${query}`)).body.members.map((one: { user: { email: string } }) => one.user.email)
    // Works in an own organization, and asks about the other one.
    await post(mine.token, 'create', { name: 'Second', slug: 'second-of-lea' })
    const slug = `organizationSlug=${mine.slug}`
    expect(await emails(mine.token, 'sortBy=createdAt')).toEqual(['lea@example.org'])
    expect(await emails(mine.token, `${slug}&sortBy=role&sortDirection=desc`)).toEqual([
      'lea@example.org',
      'lin@example.org',
    ])
    expect(await emails(mine.token, `${slug}&sortBy=role`)).toEqual(['lin@example.org', 'lea@example.org'])
    expect(await emails(mine.token, `${slug}&filterField=role&filterValue=member`)).toEqual(['lin@example.org'])
    const one = `${slug}&filterField=userId&filterOperator=in&filterValue=${id}`
    expect(await emails(mine.token, one)).toEqual(['lin@example.org'])
    expect(await emails(mine.token, `${slug}&filterField=role&filterOperator=in&filterValue=owner,admin`)).toEqual([
      'lea@example.org',
    ])
    expect((await get(mine.token, `list-members?${one}`)).body.total).toBe(1)

    for (const path of ['list-members', 'get-active-member-role']) {
      const foreign = await get(theirs.token, `${path}?${slug}`)
      expect([foreign.status, foreign.body.error.code], path).toEqual([403, 'permission_denied'])
      expect((await get(theirs.token, `${path}?organizationSlug=nowhere`)).status, path).toBe(404)
    }
    for (const query of ['filterField=user.email&filterValue=l', 'sortBy=password', 'filterField=organizationId'])
      expect((await get(mine.token, `list-members?${query}`)).status, query).toBe(400)
  })

  it('invites into several teams at once, all of the organization', async () => {
    const [mine, theirs] = [await found('mae'), await found('moe')]
    const second = (await post(mine.token, 'create-team', { name: 'Second' })).body.id as string
    for (const teamId of [[mine.teamId, theirs.teamId], theirs.teamId, [mine.teamId, 'none']]) {
      const refused = await post(mine.token, 'invite-member', { email: 'mia@example.org', role: 'member', teamId })
      expect(refused.status).toBe(404)
    }
    const { id, token } = await join(mine.token, 'mia', { teamId: [mine.teamId, second] })
    const teams = (await get(token, 'list-user-teams')).body as { id: string }[]
    expect(teams.map((team) => team.id).toSorted()).toEqual([mine.teamId, second].toSorted())
    expect(service().memberships(id)).toMatchObject([{ organizationId: mine.id }])
  })

  it('tells roles and teams to members alone, and lets them choose among their teams', async () => {
    const [mine, theirs] = [await found('noa'), await found('noe')]
    const { id, token } = await join(mine.token, 'nia', { teamId: mine.teamId })
    expect((await get(token, 'get-active-member-role')).body).toEqual({ role: 'member' })
    expect((await get(mine.token, `get-active-member-role?userId=${id}`)).body).toEqual({ role: 'member' })
    expect((await get(theirs.token, `get-active-member-role?userId=${id}`)).status).toBe(403)
    expect((await get(theirs.token, `get-active-member-role?organizationId=${mine.id}`)).status).toBe(403)

    const asked = await get(mine.token, `list-user-teams?userId=${id}`)
    expect(asked.body).toMatchObject([{ id: mine.teamId, organizationId: mine.id }])
    expect((await get(token, 'list-user-teams?userId=somebody')).status).toBe(403)
    expect((await get(theirs.token, `list-user-teams?userId=${id}`)).status).toBe(403)
    expect((await get(theirs.token, `list-user-teams?userId=${id}&organizationId=${mine.id}`)).status).toBe(403)
    expect((await get(theirs.token, `list-user-teams?organizationId=${mine.id}`)).status).toBe(403)

    const team = async () => (await host.as(token, 'GET', '/auth/get-session')).body.session.activeTeamId
    const other = (await post(mine.token, 'create-team', { name: 'Other' })).body.id
    expect(await post(token, 'set-active-team', { teamId: null })).toMatchObject({ status: 200, body: null })
    expect(await team()).toBeNull()
    expect((await post(token, 'set-active-team', { teamId: theirs.teamId })).status).toBe(404)
    expect((await post(token, 'set-active-team', { teamId: other })).status).toBe(403)
    expect(await team()).toBeNull()
    expect((await post(token, 'set-active-team', { teamId: mine.teamId })).body).toMatchObject({ id: mine.teamId })
    expect(await team()).toBe(mine.teamId)
  })
})

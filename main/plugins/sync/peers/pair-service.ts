// Inviting a machine and joining another one's workspace: who may, with what, and what is handed over and taken. Knows no
// HTTP and no frame.
import type { z } from 'zod'
import type { SyncInvite } from '#shared/contracts/sync-parts.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { whyNotLent } from '#main/kernel/identity.ts'
import type { FieldError } from '#shared/errors.ts'
import { PlatformError, validationError } from '#shared/errors.ts'
import { deviceOf } from '#main/replication/core/device-id.ts'
import { cardName } from '#main/replication/channel/pairing.ts'
import type { PairedPeer } from '#main/replication/channel/pairing.ts'
import { parseCode } from '#main/replication/channel/pairing-proofs.ts'
import { syncError } from '../errors.ts'
import { formatAddress, parseAddress } from './addresses.ts'
import type { Control } from './control.ts'
import { formatMailbox, parseMailbox } from './mailbox-place.ts'
import { formatPairLink, parsePairLink } from './pair-link.ts'
import { decodePayload, decodeReply, encodePayload, encodeReply, PayloadVersionError } from './pair-payload.ts'
import type { PairPayload } from './pair-payload.ts'
import type { JoinWish, PairingAnswer } from './pairings.ts'
import { JoinRefused } from './pairings.ts'
import type { MailboxKeeper } from './mailbox-keeper.ts'
import { maySeeEverything } from './rights.ts'
import type { DeviceRole } from './roster-entries.ts'
import type { Running } from './running.ts'
import type { WingParts } from './service.ts'

type Parts = Pick<WingParts, 'host' | 'metadata' | 'auth'>

/** How long the relay may take to keep a mailbox: where it is the only way, and where there are addresses too. */
const onlyWayMs = 5_000
const otherWayMs = 2_000

/** With organizations nobody reads everything, whoever they are: each works in one of them (D-41, D-301). */
function requireNoWalls(parts: Parts): void {
  if (parts.auth()?.hasOrganizations === true) throw syncError('pairing_refused', { reason: 'organizations' })
}

/**
 * Invites one machine.
 * @throws sync_disabled, validation_error for an unknown user, pairing_refused: `rights` where this machine or that user
 * may not, `organizations` while there are any, `not_listening` where nobody could connect, `relay_unreachable` where the relay is the only way and not there
 */
export async function inviteMachine(
  ctx: RequestContext,
  control: Control,
  parts: Parts,
  wish: { readonly user?: string | undefined; readonly role?: DeviceRole | undefined },
): Promise<z.output<typeof SyncInvite>> {
  const running = control.requireRunning()
  const { roster, keys } = running
  requireNoWalls(parts)
  if (!roster.isAdmin(keys.device)) throw syncError('pairing_refused', { reason: 'rights' })
  const user = wish.user ?? ctx.actor.id
  if (user !== ctx.actor.id && parts.auth()?.user(user) === undefined)
    throw validationError([
      { field: 'user', code: 'invalid_reference', message: 'There is no such user.', value: user },
    ])
  const isAdministrator = parts.host.service('permissions').isAdministrator(ctx)
  const role = wish.role ?? (isAdministrator ? 'admin' : 'member')
  // Nobody hands on more than they have.
  const isOwnMember = user === ctx.actor.id && role === 'member'
  const mayLend = isAdministrator || isOwnMember
  // A machine has all rights of its person, and keeps them: more than a narrowed key has, or whoever acts as somebody else.
  if (!mayLend || whyNotLent(ctx) !== null) throw syncError('pairing_refused', { reason: 'rights' })
  if (!maySeeEverything(contextOf(ctx, user), parts.host.authorizer, parts.metadata))
    throw syncError('pairing_refused', { reason: 'rights' })
  const addresses = [...running.addresses()]
  const hasRelay = control.settings().relayUrl !== null
  if (addresses.length === 0 && !hasRelay) throw syncError('pairing_refused', { reason: 'not_listening' })
  await control.backUp('invite')
  const mailbox = await openMailbox(running, addresses.length === 0 ? onlyWayMs : otherWayMs)
  if (addresses.length === 0 && mailbox === undefined)
    throw syncError('pairing_refused', { reason: 'relay_unreachable' })
  const {
    pairingId,
    code,
    expiresAt,
    triesLeft = 0,
  } = control.pairings.invite({
    card: { name: cardName(control.ownName()), signKey: keys.signKey },
    makePayload: (peer) => handOver(ctx, control, parts, peer, { user, role }),
    takeReply(reply, peer) {
      const found = decodeReply(reply)
      if (found.length === 0) return
      running.store
        .set(deviceOf(peer.signKey), { addresses: found })
        .then(() => running.refresh())
        .catch((error: unknown) => parts.host.log.warn({ err: error }, 'Where a machine is was not stored.'))
    },
    closed: () => mailbox?.close(),
  })
  const { fingerprint } = keys
  const place = mailbox?.place
  const named =
    place === undefined || place.fingerprint === null ? {} : { mailbox: { ...place, fingerprint: place.fingerprint } }
  return {
    pairingId,
    code,
    link: formatPairLink({ code, fingerprint, addresses, ...named }),
    addresses,
    ...(place === undefined ? {} : { relay: formatMailbox(place) }),
    fingerprint,
    expiresAt,
    triesLeft,
  }
}

/**
 * Joins the workspace of another machine, as far as the number to compare.
 * @throws validation_error, pairing_refused, pairing_code_invalid, pairing_expired
 */
export async function joinMachine(
  ctx: RequestContext,
  control: Control,
  parts: Parts,
  wish: {
    readonly code?: string | undefined
    readonly address?: string | undefined
    readonly link?: string | undefined
    readonly deviceName: string
    readonly keepOwn?: boolean | undefined
  },
): Promise<PairingAnswer> {
  const place = placeOf(wish)
  const keepsOwn = wish.keepOwn === true
  control.pairings.requireNew(place.code)
  requireNoWalls(parts)
  if (!maySeeEverything(ctx, parts.host.authorizer, parts.metadata))
    throw syncError('pairing_refused', { reason: 'rights' })
  if (!control.mayJoin(keepsOwn)) throw syncError('pairing_refused', { reason: 'workspace_not_empty' })
  await control.backUp('join')
  return control.pairings.join({
    ...place,
    keys: await control.keys(),
    name: cardName(wish.deviceName),
    async takePayload(bytes, peer, address) {
      try {
        const payload = readPayload(bytes, peer)
        const from = address === undefined ? undefined : formatAddress(address)
        const inviter = deviceOf(peer.signKey)
        await control.join(ctx, payload, { from, inviter, deviceName: wish.deviceName, keepsOwn })
      } catch (error) {
        if (!(error instanceof JoinRefused)) parts.host.log.error({ err: error }, 'A workspace could not be joined.')
        throw error
      }
    },
    makeReply() {
      const reachable = control.running()?.addresses() ?? []
      return reachable.length === 0 ? undefined : encodeReply(reachable)
    },
  })
}

/** A mailbox the relay has said it keeps; undefined without one in time. */
async function openMailbox(running: Running, ms: number): Promise<MailboxKeeper | undefined> {
  const keeper = running.keepMailbox()
  if (keeper === undefined || (await keeper.isOpen(ms))) return keeper
  keeper.close()
  return undefined
}

function placeOf(
  wish: Parameters<typeof joinMachine>[3],
): Pick<JoinWish, 'code' | 'fingerprint' | 'addresses' | 'mailbox'> {
  if (wish.link !== undefined) {
    const link = parsePairLink(wish.link)
    const addresses = link?.addresses.flatMap((text) => parseAddress(text) ?? []) ?? []
    if (link === undefined || (addresses.length === 0 && link.mailbox === undefined))
      throw validationError([{ field: 'link', code: 'invalid_url', message: 'Expected the link of an invite.' }])
    return { ...link, addresses, mailbox: link.mailbox }
  }
  const code = parseCode(wish.code ?? '')
  const address = parseAddress(wish.address ?? '')
  const typed = parseMailbox(wish.address ?? '')
  const problems: FieldError[] = []
  if (code === undefined) problems.push({ field: 'code', code: 'invalid_format', message: 'Expected seven digits.' })
  if (address === undefined && typed === undefined)
    problems.push({
      field: 'address',
      code: 'invalid_format',
      message: 'Expected host:port, or a relay with its mailbox.',
    })
  if (code === undefined || problems.length > 0) throw validationError(problems)
  return {
    code,
    fingerprint: null,
    addresses: address === undefined ? [] : [address],
    mailbox: typed === undefined ? undefined : { ...typed, fingerprint: null },
  }
}

/** Writes the new machine into the roster, then says what it needs to take part. */
async function handOver(
  ctx: RequestContext,
  control: Control,
  parts: Parts,
  peer: PairedPeer,
  given: { readonly user: string; readonly role: DeviceRole },
): Promise<Uint8Array> {
  try {
    await control.admit(ctx, {
      device: deviceOf(peer.signKey),
      name: peer.name,
      user: given.user,
      userName: control.nameOfUser(given.user),
      signKey: Buffer.from(peer.signKey).toString('base64'),
      fingerprint: peer.fingerprint,
      role: given.role,
    })
    // Else the new machine would be refused by the relay at first, and come again only after a while.
    const running = control.requireRunning()
    await running.relayTold()
    return encodePayload(payloadOf(running))
  } catch (error) {
    if (!(error instanceof PlatformError)) parts.host.log.error({ err: error }, 'A machine could not be let in.')
    throw error
  }
}

/** What a new machine is handed. */
function payloadOf({ workspace: { workspace, epoch }, roster, addresses, settings }: Running): PairPayload {
  const { relayUrl: url, relayFingerprint: fingerprint } = settings()
  const issuer = roster.issuer()
  const devices = roster.devices().toSorted((a, b) => Number(b.device === issuer) - Number(a.device === issuer))
  const relay = url === null || fingerprint === null ? null : { url, fingerprint }
  return { workspace, epoch, devices, addresses: [...addresses()], relay }
}

/** @throws JoinRefused */
function readPayload(bytes: Uint8Array, peer: PairedPeer): PairPayload {
  let payload: PairPayload
  try {
    payload = decodePayload(bytes)
  } catch (error) {
    throw new JoinRefused(error instanceof PayloadVersionError ? 'version' : 'payload')
  }
  // Whoever invites is an administrator's machine of that workspace, by its own word and key.
  const inviter = payload.devices.find(({ device }) => device === deviceOf(peer.signKey))
  if (inviter?.role !== 'admin' || inviter.fingerprint !== peer.fingerprint) throw new JoinRefused('payload')
  return payload
}

/** The rights of another user, without what narrows the caller's own credential. */
function contextOf(ctx: RequestContext, user: string): RequestContext {
  if (user === ctx.actor.id) return ctx
  const { scope: _scope, impersonatorId: _impersonator, credentialId: _id, ...rest } = ctx
  return { ...rest, actor: { type: 'user', id: user } }
}

// Names of channels: every accepted spelling in, one canonical name out, and the channels an event belongs to. Knows no
// right.
import type { PlatformEvent } from '#shared/events.ts'
import { realtimeError } from '../errors.ts'

/** A channel of D-169. `name` is its canonical spelling, the one events carry. */
export type Channel =
  | { readonly kind: 'object'; readonly name: string; readonly object: string }
  | { readonly kind: 'record'; readonly name: string; readonly object: string; readonly id: string }
  | { readonly kind: 'user'; readonly name: string; readonly userId: string }
  | { readonly kind: 'flow'; readonly name: string; readonly flow: string }
  | { readonly kind: 'room'; readonly name: string; readonly room: string }
  | { readonly kind: 'metadata' | 'system' | 'sync'; readonly name: string }

const allowed = /^[A-Za-z0-9_.:/@-]{1,200}$/
const objectName = /^[a-z][a-z0-9_]{0,62}$/
const recordId = /^[A-Za-z0-9-]{1,100}$/

/**
 * Reads a channel as clients write it.
 * @throws channel_invalid
 * @source D-169
 */
export function readChannel(text: string, userId: string): Channel {
  const channel = allowed.test(text) ? parse(text, userId) : undefined
  if (channel === undefined) throw realtimeError('channel_invalid', { channel: text.slice(0, 200) })
  return channel
}

function parse(text: string, userId: string): Channel | undefined {
  if (text === 'metadata' || text === 'system' || text === 'sync') return { kind: text, name: text }
  const colon = text.indexOf(':')
  if (colon === -1) return parsePath(text)
  const rest = text.slice(colon + 1)
  switch (text.slice(0, colon)) {
    case 'object':
      return objectChannel(rest)
    case 'record': {
      const cut = rest.indexOf(':')
      return cut === -1 ? undefined : recordChannel(rest.slice(0, cut), rest.slice(cut + 1))
    }
    case 'user': {
      const id = rest === 'me' ? userId : rest
      return recordId.test(id) ? { kind: 'user', name: `user:${id}`, userId: id } : undefined
    }
    case 'flow':
      return rest === '' ? undefined : { kind: 'flow', name: text, flow: rest }
    case 'room':
      return rest === '' ? undefined : { kind: 'room', name: text, room: rest }
    default:
      return undefined
  }
}

function parsePath(text: string): Channel | undefined {
  const parts = text.split('/')
  if (parts.length === 1) return objectChannel(text)
  if (parts.length !== 2) return undefined
  return parts[0] === 'objects' ? objectChannel(parts[1]!) : recordChannel(parts[0]!, parts[1]!)
}

function objectChannel(object: string): Channel | undefined {
  return objectName.test(object) ? { kind: 'object', name: `object:${object}`, object } : undefined
}

function recordChannel(object: string, given: string): Channel | undefined {
  if (!objectName.test(object) || !recordId.test(given)) return undefined
  const id = given.toLowerCase()
  return { kind: 'record', name: `record:${object}:${id}`, object, id }
}

/** The type of what clients say in a room. */
export const broadcastType = 'room.broadcast'

/** The first part of a type that is sent, and where its events go. Types not named here never leave the host. */
const routes: readonly (readonly [begins: string, channelsOf: (event: PlatformEvent) => readonly string[]])[] = [
  ['record.', ({ object, recordId: id }) => [`object:${object}`, `record:${object}:${id}`]],
  ['feed.', onRecord],
  ['workflow.', onRecord],
  ['file.', onRecord],
  ['approval.', (event) => [...onRecord(event), ...recipientsOf(event).map((id) => `user:${id}`)]],
  ['notification.', (event) => recipientsOf(event).map((id) => `user:${id}`)],
  ['metadata.item.', () => ['metadata']],
  ['flow.run.', ({ payload }) => textsOf(payload, 'flow', 'flowName').map((flow) => `flow:${flow}`)],
  ['packages.', () => ['system']],
  ['service.', () => ['system']],
  ['sync.', () => ['sync']],
  [broadcastType, ({ payload }) => textsOf(payload, 'channel')],
]

/** The type of an event as it is sent: events of packages are those of one package (D-171). */
export function sentType({ type }: PlatformEvent): string {
  return type.startsWith('packages.') ? type.replace('packages.', 'package.') : type
}

/** Somebody looked at a secret: that is for the audit. */
const unsent: ReadonlySet<string> = new Set(['record.secret_revealed'])

/** The canonical names of the channels an event is sent on; none for what stays inside. */
export function channelsOf(event: PlatformEvent): readonly string[] {
  if (unsent.has(event.type)) return []
  for (const [begins, of] of routes) if (event.type.startsWith(begins)) return of(event)
  return []
}

/** Users whom an event is addressed to: `userId`, `userIds`, or the `userId` of the notification itself. */
export function recipientsOf({ payload }: PlatformEvent): readonly string[] {
  const own = textsOf(payload, 'userId')
  const inner = (payload as { notification?: unknown } | null)?.notification
  const many = (payload as { userIds?: unknown } | null)?.userIds
  const listed = Array.isArray(many) ? many.filter((one): one is string => typeof one === 'string') : []
  return [...new Set([...own, ...textsOf(inner, 'userId'), ...listed])]
}

function onRecord({ object, recordId: id }: PlatformEvent): readonly string[] {
  return object === undefined || id === undefined ? [] : [`record:${object}:${id}`]
}

function textsOf(value: unknown, ...names: readonly string[]): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  const found = names.map((name) => (value as Record<string, unknown>)[name])
  return found.filter((one): one is string => typeof one === 'string').slice(0, 1)
}

// The workspace of the leak and oracle checks: objects with hidden rows and fields, people with limited rights, and
// canaries in everything hidden. What is seen is the same in every workspace; the hidden values come from a book.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ManualClock } from '#main/kernel/clock.ts'
import type { PluginDefinition } from '#main/kernel/plugin.ts'
import type { TestHost } from '../../support/create-test-host.ts'
import { createTestHost } from '../../support/create-test-host.ts'
import { asTestUser, testIdentityPlugins } from '../../support/test-identities.ts'
import type { CanaryBook } from './canaries.ts'
import type { Role } from './people.ts'
import { idOf, roles, strangerNumber, worldPeople } from './people.ts'
import { defineObjects, defineRights } from './world-definitions.ts'

/** Names of the hidden fields of `matter`, by type; each is a canary. */
export interface HiddenFields {
  readonly text: string
  readonly number: string
  readonly date: string
  readonly choice: string
  readonly flag: string
  readonly link: string
  readonly tags: string
  readonly json: string
  readonly pin: string
  readonly key: string
}

/** A parsed body. */
// oxlint-disable-next-line no-explicit-any -- tests reach into bodies freely
export type Loose = any

/** A workspace on a running host. */
export interface World {
  readonly host: TestHost
  readonly dataDir: string
  readonly fields: HiddenFields
  /** Those of them that every channel tries; all of them in a long run. */
  readonly triedFields: readonly string[]
  /** A hidden field of `person`, and one of `matter_line`. */
  readonly personField: string
  readonly lineField: string
  /** The option of the hidden choice. */
  readonly option: string
  /** Ids: rows every role sees, and rows none does. */
  readonly seen: readonly string[]
  /** Rows every role sees, two for each to change and delete. */
  readonly victims: readonly string[]
  readonly hidden: readonly string[]
  readonly seenDeleted: string
  readonly hiddenDeleted: string
  readonly seenPerson: string
  readonly hiddenPerson: string
  readonly region: string
  readonly vaults: readonly string[]
  readonly hiddenLine: string
  readonly seenLine: string
  readonly share: string
  /** Feed items: one everybody sees, one of the owner's alone, one of a hidden record, and a change of a hidden field. */
  readonly openItem: string
  readonly privateItem: string
  readonly hiddenItem: string
  readonly hiddenChange: string
  /** A finished import of the stranger's. */
  readonly job: string
  /** A notification of the stranger's, and the token of the device it goes to. */
  readonly notice: string
  /** A run of the owner's that holds a hidden record. */
  readonly flowRun: string
  /** What a webhook told of a hidden record. */
  readonly delivery: string
  /** A private file whose name is hidden, attached to a hidden row. */
  readonly file: string
  readonly deviceToken: string
  /** Values of the unique field that hidden rows hold. */
  readonly guesses: readonly string[]
  /** The position of realtime before anything was hidden. */
  readonly began: string
  /** A backup of a deleted field. */
  readonly schemaBackup: string
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered>
}

/** An answer with its bytes. */
export interface Answered {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly bytes: Uint8Array
}

/** How the host of a world is started. */
export interface WorldOptions {
  readonly change?: (plugins: PluginDefinition[]) => PluginDefinition[]
  readonly clock?: ManualClock
  readonly organizations?: boolean
}

/** The headers of a caller; undefined is the local owner. */
export function headersOf(host: TestHost, role: Role | 'stranger' | undefined): Record<string, string> {
  if (role === undefined) return { authorization: `Bearer ${host.host.token}` }
  return asTestUser(role === 'stranger' ? strangerNumber : roles.indexOf(role))
}

/** Starts a host on a folder of its own, or on one that is there. */
export async function startWorldHost(options: WorldOptions, dataDir?: string): Promise<TestHost> {
  const people = worldPeople(options.organizations)
  const plugins = testIdentityPlugins(people)
  return createTestHost({
    dataDir: dataDir ?? mkdtempSync(join(tmpdir(), 'cairn-leak-')),
    plugins: options.change?.(plugins) ?? plugins,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  })
}

/** Stops a host and takes its folder away. */
export async function endWorldHost(host: TestHost): Promise<void> {
  await host.stop()
  rmSync(host.dataDir, { recursive: true, force: true })
}

/** A body as it goes on the wire: text and bytes as they are, everything else as JSON. */
export async function callHost(
  host: TestHost,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Answered> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const response = await fetch(`${host.host.url}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
    redirect: 'manual',
  })
  return {
    status: response.status,
    headers: [...response.headers],
    bytes: new Uint8Array(await response.arrayBuffer()),
  }
}

/** Whether every hidden field is tried on every channel: in every run but that of a commit. */
export function isThorough({ size }: { readonly size: string }): boolean {
  return size !== 'commit'
}

/** Fills a host: definitions, rights, rows. Hidden values are empty until {@link hideValues}. */
export async function buildWorld(host: TestHost, book: CanaryBook, thorough: boolean): Promise<World> {
  const call: World['call'] = (method, path, body, headers) =>
    callHost(host, method, `/api/v1${path}`, body, { ...headersOf(host, undefined), ...headers })
  const done = async (method: string, path: string, body: unknown, as?: Role | 'stranger'): Promise<Loose> => {
    const answer = await call(method, path, body, headersOf(host, as))
    const text = Buffer.from(answer.bytes).toString()
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
    return JSON.parse(text)
  }
  const create = async (object: string, data: object): Promise<string> =>
    (await done('POST', `/data/${object}`, data)).id
  await done('PATCH', '/settings', { settings: { rateLimits: { read: null, write: null, heavy: null } } })
  const names = await defineObjects(done, book)
  await defineRights(done, names, book)

  const region = await create('region', { name: 'North' })
  const seenPerson = await create('person', { name: 'Everybody', open: true })
  const hiddenPerson = await create('person', { name: 'Nobody', open: false })
  const vaults = [await create('vault', { name: 'v1' }), await create('vault', { name: 'v2' })]
  const seen: string[] = []
  for (let at = 0; at < 8; at += 1)
    seen.push(
      await create('matter', {
        name: `Seen ${at} alpha`,
        code: `S-${at}`,
        serial: `SER-${at}`,
        body: at % 2 === 0 ? 'alpha beta' : 'alpha gamma alpha',
        stage: 'open',
        amount: at % 3,
        due: `2026-03-0${1 + at}`,
        region: at === 0 ? null : region,
        keeper: at % 2 === 0 ? hiddenPerson : seenPerson,
        vaulted: vaults[at % 2],
      }),
    )
  const hidden: string[] = []
  for (let at = 0; at < 4; at += 1)
    hidden.push(await create('matter', { name: `Hidden ${at}`, code: `H-${at}`, serial: `HER-${at}`, stage: 'shut' }))
  const victims: string[] = []
  for (let at = 0; at < 2 * roles.length; at += 1)
    victims.push(await create('matter', { name: `Victim ${at}`, stage: 'open', region }))
  const seenDeleted = await create('matter', { name: 'Seen deleted', stage: 'open' })
  const hiddenDeleted = await create('matter', { name: 'Hidden deleted', stage: 'shut' })
  const hiddenLine = await create('matter_line', { name: 'of hidden', matter: hidden[0] })
  const seenLine = await create('matter_line', { name: 'of seen', matter: seen[0] })
  const share = await done('POST', `/data/matter/${hidden[1]}/shares`, {
    principalType: 'user',
    principalId: idOf('stranger'),
    access: 'full',
    reason: 'because',
  })
  const say = async (record: string, item: object): Promise<string> =>
    (await done('POST', `/data/matter/${record}/feed`, { type: 'comment', body: 'alpha beta', ...item })).data.id
  const openItem = await say(seen[0]!, {})
  const privateItem = await say(seen[0]!, { visibility: 'private' })
  const hiddenItem = await say(hidden[0]!, {})
  await done('PATCH', `/data/matter/${seen[1]}`, { [names.fields.json]: { plain: true } })
  const hiddenChange = (await done('GET', `/data/matter/${seen[1]}/changelog`, undefined)).data.entries[0].id
  const backups = (await done('GET', '/meta/object/matter/backups', undefined)).data
  return {
    host,
    dataDir: host.dataDir,
    ...names,
    triedFields: thorough
      ? Object.values(names.fields)
      : [names.fields.text, names.fields.number, names.fields.link, names.fields.pin],
    seen,
    victims,
    hidden,
    seenDeleted,
    hiddenDeleted,
    seenPerson,
    hiddenPerson,
    region,
    vaults,
    hiddenLine,
    seenLine,
    share: share.id,
    openItem,
    privateItem,
    hiddenItem,
    hiddenChange,
    job: '',
    notice: '',
    flowRun: '',
    delivery: '',
    file: '',
    deviceToken: '',
    guesses: [],
    began: '0',
    schemaBackup: backups[0]?.id ?? '',
    call,
  }
}

// SQL of the one row of this machine's workspace: which one it is, who writes here, and how this machine takes part.
// Knows no peer.
import { z } from 'zod'
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import { rosterDeviceSchema } from './roster-entries.ts'
import type { RosterDevice } from './roster-entries.ts'

/** The file beside the database that says what has left this machine. */
export const sidecarName = 'sync-incarnation.json'

type Reader = Pick<Reads, 'get'>

const settingsSchema = z.object({
  relayUrl: z.string().nullable(),
  relayFingerprint: z.string().nullable(),
  /** The relay's admin token as the secret store sealed it. */
  relayToken: z.string().nullable(),
  listen: z.boolean(),
  port: z.int(),
  interfaces: z.array(z.string()),
  paused: z.boolean(),
  /** What this machine calls itself; null: the name the system has for it. */
  deviceName: z.string().nullable(),
  /** Whether the bytes of every file are kept here. */
  keepFiles: z.boolean().default(false),
})
const storedSchema = z.object({ settings: settingsSchema, known: z.array(rosterDeviceSchema) })

/** How this machine takes part, as it is stored. */
export type LocalSettings = Readonly<z.output<typeof settingsSchema>>

/** A workspace this machine belongs to. */
export interface StoredWorkspace {
  /** 16 bytes. */
  readonly workspace: Uint8Array
  readonly epoch: number
  /** The device that wrote here last. */
  readonly device: string
  readonly inc: number
  readonly bootCounter: number
  /** False: sync was turned off again. */
  readonly isOn: boolean
  readonly isFounder: boolean
  /** Devices that are trusted without an entry in the roster. */
  readonly known: readonly RosterDevice[]
}

/** Before anybody chose anything. The port is one that nothing common listens on and no system gives to outgoing connections. */
export const defaultSettings: LocalSettings = {
  relayUrl: null,
  relayFingerprint: null,
  relayToken: null,
  listen: false,
  port: 27_810,
  interfaces: [],
  paused: false,
  deviceName: null,
  keepFiles: false,
}

type Row = Omit<StoredWorkspace, 'isOn' | 'isFounder' | 'known'> & {
  readonly isOn: 0 | 1
  readonly isFounder: 0 | 1
  readonly settings: string
}

const columns = `ws AS workspace, epoch, device, inc, boot_counter AS bootCounter, state = 'on' AS isOn, founder AS isFounder,
  settings`

/** The workspace; null while this machine belongs to none. */
export function readWorkspace(read: Reader): StoredWorkspace | null {
  const row = readRow(read)
  if (row === undefined || row.workspace.byteLength === 0) return null
  const { settings: _settings, isOn, isFounder, workspace, ...rest } = row
  const { known } = parse(row)
  return { ...rest, workspace: new Uint8Array(workspace), isOn: isOn === 1, isFounder: isFounder === 1, known }
}

/** How this machine takes part; {@link defaultSettings} before anybody chose. */
export function readSettings(read: Reader): LocalSettings {
  const row = readRow(read)
  return row === undefined ? defaultSettings : parse(row).settings
}

/** Stores the workspace; the settings stay. What the log keeps in the same row begins empty with another workspace. */
export function putWorkspace(tx: Tx, workspace: StoredWorkspace): void {
  const { workspace: ws, epoch, device, inc, bootCounter, isOn, isFounder, known } = workspace
  const settings = JSON.stringify({ settings: readSettings(tx), known })
  tx.run(
    statement(
      `INSERT INTO sync_workspace
         (only, ws, epoch, device, inc, boot_counter, hlc, state, founder, genesis, settings)
       VALUES (1, ?, ?, ?, ?, ?, '', ?, ?, '', ?)
       ON CONFLICT (only) DO UPDATE SET
         hlc = CASE WHEN ws = excluded.ws THEN hlc ELSE '' END,
         genesis = CASE WHEN ws = excluded.ws THEN genesis ELSE '' END,
         ws = excluded.ws, epoch = excluded.epoch, device = excluded.device, inc = excluded.inc,
         boot_counter = excluded.boot_counter, state = excluded.state, founder = excluded.founder,
         settings = excluded.settings`,
      [ws, epoch, device, inc, bootCounter, isOn ? 'on' : 'off', isFounder ? 1 : 0, settings],
    ),
  )
}

/** Stores the settings; they are there before a workspace is. */
export function putSettings(tx: Tx, settings: LocalSettings): void {
  const row = readRow(tx)
  const text = JSON.stringify({ settings, known: row === undefined ? [] : parse(row).known })
  tx.run(
    statement(
      `INSERT INTO sync_workspace
         (only, ws, epoch, device, inc, boot_counter, hlc, state, founder, genesis, settings)
       VALUES (1, x'', 0, '', 0, 0, '', 'off', 0, '', ?)
       ON CONFLICT (only) DO UPDATE SET settings = excluded.settings`,
      [text],
    ),
  )
}

/** The port the system chose last where it may choose; 0 before it did. */
export function readBoundPort(read: Reader): number {
  const sql = 'SELECT bound_port AS port FROM sync_workspace WHERE only = 1'
  return read.get(statement<{ port: number }>(sql))?.port ?? 0
}

/** Notes the port the system chose. */
export function putBoundPort(tx: Tx, port: number): void {
  tx.run(statement('UPDATE sync_workspace SET bound_port = ? WHERE only = 1', [port]))
}

/** Notes whether sync is on. */
export function putOn(tx: Tx, isOn: boolean): void {
  tx.run(statement('UPDATE sync_workspace SET state = ? WHERE only = 1', [isOn ? 'on' : 'off']))
}

/** Leaves the workspace: its log, its documents and what is known of peers go, the settings and all records stay. */
export function forgetWorkspace(tx: Tx): void {
  for (const table of ['env', 'head', 'inc', 'doc', 'metadata', 'aside', 'conflict', 'problem', 'peer', 'unpaired'])
    tx.run(statement(`DELETE FROM sync_${table}`))
  const settings = readSettings(tx)
  tx.run(statement('DELETE FROM sync_workspace'))
  putSettings(tx, settings)
}

function readRow(read: Reader): Row | undefined {
  return read.get(statement<Row>(`SELECT ${columns} FROM sync_workspace WHERE only = 1`))
}

function parse({ settings }: Row): z.output<typeof storedSchema> {
  return storedSchema.parse(JSON.parse(settings))
}

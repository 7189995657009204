// Keeps what the nodes of a hub share in PostgreSQL. Each step that could make two leaders is one statement, and the row of
// the head puts them in an order. Time is PostgreSQL's alone.
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Head, HubStore, SeenNode, Snapshot, StoredRow } from './hub-store.ts'
import type { Seal } from '../seal.ts'
import { copyOut } from './copy-out.ts'
import type { BinaryRow } from './copy-out.ts'
import { withPassword } from './password-file.ts'
import { storeTables } from './tables.ts'

/** What the store works with. */
export interface PostgresStoreOptions {
  /** Address of the database: `postgres://…`. */
  readonly url: string
  readonly workspace: string
  readonly seal: Seal
  readonly leaseMs: number
  /** How long a statement may take that carries little. */
  readonly statementMs?: number
}

/** The store, and what only its setting up needs. */
export interface PostgresStore extends HubStore {
  /** Makes tables and head. @returns false when the workspace is there already */
  create(): Promise<boolean>
  /**
   * Takes a workspace whose beginning is not stored yet for so many milliseconds.
   * @returns false when it has begun, or somebody else begins it
   */
  claim(ms: number): Promise<boolean>
  /** Makes the lease end so many milliseconds from now, later or earlier. @returns false when the epoch is over */
  setLease(epoch: number, ms: number): Promise<boolean>
  /**
   * Names who is to lead next. The leader sees it and hands over; if it dies before that, the heir comes first.
   * @returns false when the epoch is over
   */
  nameHeir(epoch: number, heir: string): Promise<boolean>
  /** Drops what is known of a node; one that is there says so again. */
  forget(node: string): Promise<void>
  /** Keeps a small file under its name, if the epoch is the writer's. @returns false when it is over */
  putFile(epoch: number, name: string, body: Buffer): Promise<boolean>
  /** All small files by name. */
  files(): Promise<ReadonlyMap<string, Buffer>>
  /** One file, also a shared one; null when it is not kept. */
  file(name: string): Promise<Buffer | null>
  /** Names of the files in parts: `shared/<name>` and `shared/<name>/<part>`. */
  sharedNames(): Promise<string[]>
  /** Drops a file in parts, if the epoch is the writer's. */
  dropShared(epoch: number, name: string): Promise<void>
  /** Bytes and age of what is kept of the log. */
  logSize(): Promise<LogSize>
  /** Answers a query of the checks. */
  ask<Row extends pg.QueryResultRow>(text: string): Promise<Row[]>
}

/** The log as the store keeps it. */
export interface LogSize {
  readonly bytes: number
  /** The oldest row that is kept; null when there is none. */
  readonly firstSeq: number | null
  /** When it was stored, milliseconds since 1970. */
  readonly firstAt: number | null
}

/** Of a body in one row of a table: engines with PostgreSQL's protocol have lower bounds than it has. */
const partBytes = 512 * 1024
/** Parts read at once. */
const readParts = 64
/** Parts of snapshots, and rows, that are dropped at once. */
const droppedParts = 16
const droppedRows = 100
/** A statement that takes longer has lost its connection. */
const usualStatementMs = 10_000
/** What a statement carries takes longer: a slow network and a slow disk bring so much of it. */
const carriedPerMs = 2_000
const connectMs = 3_000
/** What engines say when a transaction has to be done again. */
const againCodes = new Set(['40001', '40P01'])
const maxTries = 8
/** How the codes of warnings begin. */
const warningClass = '01'
/** No hub was ever begun in this database. */
const noTable = '42P01'
const format = 1
const partColumns = 'seq, epoch, last, body, extract(epoch FROM at)::float8'

/** Makes the store; nothing is asked before the first call. */
export function createPostgresStore({
  url,
  workspace,
  seal,
  leaseMs,
  statementMs = usualStatementMs,
}: PostgresStoreOptions): PostgresStore {
  let warnings = 0
  // The password is read for each connection: it may have been changed.
  class Client extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionString: withPassword(url) })
      // Not before: what it says of its collations as it connects is no warning about rows.
      this.once('connect', () => {
        this.on('notice', ({ code }) => {
          if (code?.startsWith(warningClass) === true) warnings += 1
        })
      })
    }
  }
  const pool = new pg.Pool({
    Client,
    max: 4,
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs,
    keepAlive: true,
    application_name: 'cairn-hub',
  })
  // A connection that breaks while nobody uses it; the next query finds out.
  pool.on('error', () => undefined)

  const run = async <Row extends pg.QueryResultRow>(
    name: string,
    text: string,
    values: readonly unknown[] = [],
    carried = 0,
  ): Promise<Row[]> => {
    // The types of the driver lack its limit for one statement.
    const limit = { query_timeout: statementMs + Math.ceil(carried / carriedPerMs) } as object
    const { rows } = await again(() => pool.query<Row>({ name, text, values: [...values], ...limit }))
    return rows
  }

  const ws = pg.escapeLiteral(workspace)
  const partsWhere = async (rest: string): Promise<Part[]> => {
    const select = `SELECT ${partColumns} FROM hub_log WHERE ws = ${ws} AND ${rest} LIMIT ${readParts}`
    return (await again(() => copyOut(pool, select))).map(partOf)
  }

  /**
   * A COMMIT whose wait for standbys was called off (a limit for statements does that) succeeds with a warning, and is lost with
   * its server: a row is only taken for stored without one.
   */
  const runKept: typeof run = async <Row extends pg.QueryResultRow>(...words: Parameters<typeof run>) => {
    const before = warnings
    const rows = await run<Row>(...words)
    if (warnings !== before) throw new Error('PostgreSQL may not have waited for its standbys.')
    return rows
  }

  const logPlace = (epoch: number, seq: number): string => `log/${epoch}/${seq}`
  const basePlace = (seq: number, part: number): string => `base/${seq}/${part}`
  const filePlace = (name: string): string => `file/${name}`

  const whole = (parts: readonly Part[]): StoredRow => {
    const { seq, epoch, at } = parts[0]!
    const sealed = parts.length === 1 ? parts[0]!.body : Buffer.concat(parts.map((part) => part.body))
    const body = seal.open(logPlace(epoch, seq), sealed)
    return { seq, epoch, body, at }
  }

  /** Some at a time: nothing is done of a statement that takes too long. @returns how many rows are gone */
  const dropBefore = async (seq: string): Promise<number> => {
    const before = [workspace, seq]
    await run('trim-snapshots', 'DELETE FROM hub_snapshot WHERE ws = $1 AND seq < $2', before)
    const some = `SELECT seq, part FROM hub_base WHERE ws = $1 AND seq < $2 LIMIT ${droppedParts}`
    const parts = `DELETE FROM hub_base WHERE ws = $1 AND (seq, part) IN (${some}) RETURNING part`
    while ((await run('trim-parts', parts, before)).length > 0) continue
    // Whole rows: whoever reads one meanwhile finds all of it or nothing.
    const oldest = `(SELECT min(seq) FROM hub_log WHERE ws = $1) + ${droppedRows}`
    const rows = `DELETE FROM hub_log WHERE ws = $1 AND seq < $2 AND seq < ${oldest} RETURNING last`
    for (let gone = 0; ;) {
      const dropped = await run<{ last: boolean }>('trim-rows', rows, before)
      if (dropped.length === 0) return gone
      gone += dropped.filter(({ last }) => last).length
    }
  }

  /** None where the row is not kept, or goes meanwhile. */
  const partsOf = async (seq: number): Promise<Part[]> => {
    for (const parts: Part[] = []; ;) {
      const more = await partsWhere(`seq = ${seq} AND part >= ${parts.length} ORDER BY part`)
      parts.push(...more)
      if (more.length === 0) return []
      if (more.at(-1)!.last) return parts
    }
  }

  return {
    async create() {
      // Another workspace may begin its hub in this PostgreSQL at this moment: two who make a table collide, and it is there then.
      for (const sql of storeTables) await pool.query(sql).catch(() => pool.query(sql))
      const made = await run(
        'create',
        `INSERT INTO hub_head (ws, epoch, seq, lease_until, format) VALUES ($1, 0, 0, clock_timestamp(), $2)
         ON CONFLICT (ws) DO NOTHING RETURNING ws`,
        [workspace, format],
      )
      return made.length === 1
    },
    ask: async (text) => (await pool.query(text)).rows,
    async head() {
      const [found] = await run<Record<'epoch' | 'seq' | 'left', string> & Omit<Head, 'epoch' | 'seq' | 'leaseLeftMs'>>(
        'head',
        `SELECT epoch, seq, node, address, heir, extract(epoch FROM lease_until - clock_timestamp()) * 1000 AS left
         FROM hub_head WHERE ws = $1`,
        [workspace],
      ).catch((error: unknown) => {
        if (error instanceof pg.DatabaseError && error.code === noTable) return []
        throw error
      })
      if (found === undefined) return null
      const { epoch, seq, left, ...who } = found
      return { ...who, epoch: Number(epoch), seq: Number(seq), leaseLeftMs: Number(left) }
    },
    async append({ epoch, seq, body }) {
      const sealed = await seal.seal(logPlace(epoch, seq), body)
      const parts: Buffer[] = []
      for (let at = 0; at < sealed.length; at += partBytes) parts.push(sealed.subarray(at, at + partBytes))
      const list = parts.map((_, part) => `(${part}, $${part + 5}::bytea)`).join(', ')
      const stored = await runKept(
        `append-${parts.length}`,
        `WITH head AS (UPDATE hub_head SET seq = $3, lease_until = ${renewed('$4')}
           WHERE ws = $1 AND epoch = $2 AND seq = $3 - 1 RETURNING ws)
         INSERT INTO hub_log (ws, seq, part, epoch, at, last, body)
         SELECT ws, $3, p.part, $2, clock_timestamp(), p.part = ${parts.length - 1}, p.body
         FROM head, (VALUES ${list}) AS p (part, body) RETURNING part`,
        [workspace, epoch, seq, leaseMs, ...parts],
        sealed.length,
      )
      if (stored.length > 0) return 'stored'
      // Sent again after an answer that was lost: it may be there already.
      const [there] = await run<{ epoch: string }>(
        'stored',
        'SELECT epoch FROM hub_log WHERE ws = $1 AND seq = $2 AND part = 0',
        [workspace, seq],
      )
      if (there === undefined || Number(there.epoch) !== epoch) return 'over'
      // One whose COMMIT was cut off may be on this server alone: what comes after it is waited for together with it.
      await runKept('keep', 'UPDATE hub_head SET seq = seq WHERE ws = $1', [workspace])
      return 'found'
    },
    async renew(epoch) {
      const found = await run(
        'renew',
        `UPDATE hub_head SET lease_until = ${renewed('$3')} WHERE ws = $1 AND epoch = $2 RETURNING ws`,
        [workspace, epoch, leaseMs],
      )
      return found.length === 1
    },
    async claim(ms) {
      const claimed = await run(
        'claim',
        `UPDATE hub_head h SET lease_until = clock_timestamp() + $2 * interval '1 ms'
         WHERE ws = $1 AND epoch = 0 AND lease_until <= clock_timestamp()
           AND NOT EXISTS (SELECT 1 FROM hub_snapshot s WHERE s.ws = h.ws) RETURNING ws`,
        [workspace, ms],
      )
      return claimed.length === 1
    },
    async setLease(epoch, ms) {
      const set = await run(
        'set-lease',
        `UPDATE hub_head SET lease_until = clock_timestamp() + $3 * interval '1 ms' WHERE ws = $1 AND epoch = $2
         RETURNING ws`,
        [workspace, epoch, ms],
      )
      return set.length === 1
    },
    async take(epoch, node, address) {
      const [taken] = await run<{ epoch: string; seq: string }>(
        'take',
        `UPDATE hub_head SET epoch = epoch + 1, node = $3, address = $4, heir = NULL,
           lease_until = clock_timestamp() + $5 * interval '1 ms'
         WHERE ws = $1 AND epoch = $2 AND lease_until < clock_timestamp()
           AND (heir IS NULL OR heir = $3 OR lease_until < clock_timestamp() - $5 * interval '1 ms')
         RETURNING epoch, seq`,
        [workspace, epoch, node, address, leaseMs],
      )
      return taken === undefined ? null : { epoch: Number(taken.epoch), seq: Number(taken.seq) }
    },
    async handOver({ epoch, seq }, heir) {
      const ended = await run(
        'hand-over',
        `UPDATE hub_head SET heir = $4, lease_until = clock_timestamp() - interval '1 ms'
         WHERE ws = $1 AND epoch = $2 AND seq = $3 RETURNING ws`,
        [workspace, epoch, seq, heir],
      )
      return ended.length === 1
    },
    async rows(after) {
      const parts = await partsWhere(`seq > ${after} ORDER BY seq, part`)
      const rows: StoredRow[] = []
      let begun: Part[] = []
      for (const part of parts) {
        begun.push(part)
        if (!part.last) continue
        rows.push(whole(begun))
        begun = []
      }
      if (rows.length > 0 || begun.length === 0) return rows
      const large = await partsOf(begun[0]!.seq)
      return large.length === 0 ? [] : [whole(large)]
    },
    async rowAt(seq) {
      const parts = await partsOf(seq)
      return parts.length === 0 ? null : whole(parts)
    },
    async snapshots() {
      type Texts = 'seq' | 'epoch' | 'at' | 'ageMs'
      const found = await run<Record<Texts, string> & Omit<Snapshot, Texts>>(
        'snapshots',
        `SELECT seq, epoch, hash, digest, parts, extract(epoch FROM at) * 1000 AS at, made_by AS "madeBy",
           verified_by AS "verifiedBy", extract(epoch FROM clock_timestamp() - at) * 1000 AS "ageMs"
         FROM hub_snapshot WHERE ws = $1 ORDER BY seq DESC`,
        [workspace],
      )
      return found.map(({ seq, epoch, at, ageMs, ...rest }) => ({
        ...rest,
        ...{ seq: Number(seq), epoch: Number(epoch), at: Number(at), ageMs: Number(ageMs) },
      }))
    },
    async snapshotPart(seq, part) {
      const select = `SELECT body FROM hub_base WHERE ws = ${ws} AND seq = ${seq} AND part = ${part}`
      const [found] = await again(() => copyOut(pool, select))
      if (found === undefined) throw new Error(`Part ${part} of the snapshot ${seq} is not kept any more.`)
      return seal.open(basePlace(seq, part), found[0]!)
    },
    async addSnapshotPart(seq, part, body) {
      await run(
        'add-base',
        `INSERT INTO hub_base (ws, seq, part, body) VALUES ($1, $2, $3, $4)
         ON CONFLICT (ws, seq, part) DO UPDATE SET body = excluded.body`,
        [workspace, seq, part, await seal.seal(basePlace(seq, part), body)],
      )
    },
    async addSnapshot({ seq, epoch, hash, digest, parts, madeBy }) {
      await run(
        'add-snapshot',
        `INSERT INTO hub_snapshot (ws, seq, epoch, hash, digest, parts, at, made_by)
         VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp(), $7) ON CONFLICT (ws, seq) DO NOTHING`,
        [workspace, seq, epoch, hash, digest, parts, madeBy],
      )
    },
    async verifySnapshot(seq, node) {
      await run('verify', 'UPDATE hub_snapshot SET verified_by = $3 WHERE ws = $1 AND seq = $2 AND made_by <> $3', [
        workspace,
        seq,
        node,
      ])
    },
    async trim(keepMs) {
      const [base] = await run<{ seq: string | null }>(
        'trim-base',
        `SELECT max(seq) AS seq FROM hub_snapshot WHERE ws = $1 AND verified_by IS NOT NULL
           AND at < clock_timestamp() - $2 * interval '1 ms'`,
        [workspace, keepMs],
      )
      const gone = base!.seq === null ? 0 : await dropBefore(base!.seq)
      await run('trim-nodes', "DELETE FROM hub_node WHERE ws = $1 AND seen_at < clock_timestamp() - interval '1 day'", [
        workspace,
      ])
      return gone
    },
    async forget(node) {
      await run('forget', 'DELETE FROM hub_node WHERE ws = $1 AND node = $2', [workspace, node])
    },
    async seen(node, address, seq) {
      await run(
        'seen',
        `INSERT INTO hub_node (ws, node, address, seen_at, seq) VALUES ($1, $2, $3, clock_timestamp(), $4)
         ON CONFLICT (ws, node) DO UPDATE SET address = excluded.address, seen_at = excluded.seen_at, seq = excluded.seq`,
        [workspace, node, address, seq],
      )
    },
    async nodes() {
      const found = await run<Record<'seq' | 'ago', string> & Pick<SeenNode, 'node' | 'address'>>(
        'nodes',
        `SELECT node, address, seq, extract(epoch FROM clock_timestamp() - seen_at) * 1000 AS ago
         FROM hub_node WHERE ws = $1 AND seen_at > clock_timestamp() - interval '1 day' ORDER BY node`,
        [workspace],
      )
      return found.map(({ node, address, seq, ago }) => ({ node, address, seq: Number(seq), agoMs: Number(ago) }))
    },
    async nameHeir(epoch, heir) {
      const named = await run('heir', 'UPDATE hub_head SET heir = $3 WHERE ws = $1 AND epoch = $2 RETURNING ws', [
        workspace,
        epoch,
        heir,
      ])
      return named.length === 1
    },
    async putFile(epoch, name, body) {
      const put = await run(
        'put-file',
        `INSERT INTO hub_file (ws, name, version, body) SELECT ws, $3, 1, $4 FROM hub_head WHERE ws = $1 AND epoch = $2
         ON CONFLICT (ws, name) DO UPDATE SET version = hub_file.version + 1, body = excluded.body RETURNING ws`,
        [workspace, epoch, name, await seal.seal(filePlace(name), body)],
      )
      return put.length === 1
    },
    async files() {
      const found = await run<{ name: string; body: Buffer }>(
        'files',
        "SELECT name, body FROM hub_file WHERE ws = $1 AND name NOT LIKE 'shared/%'",
        [workspace],
      )
      return new Map(found.map(({ name, body }) => [name, seal.open(filePlace(name), body)]))
    },
    async file(name) {
      const sql = 'SELECT body FROM hub_file WHERE ws = $1 AND name = $2'
      const [found] = await run<{ body: Buffer }>('file', sql, [workspace, name])
      return found === undefined ? null : seal.open(filePlace(name), found.body)
    },
    async sharedNames() {
      const found = await run<{ name: string }>(
        'shared-names',
        "SELECT DISTINCT split_part(name, '/', 2) AS name FROM hub_file WHERE ws = $1 AND name LIKE 'shared/%'",
        [workspace],
      )
      return found.map(({ name }) => name)
    },
    async dropShared(epoch, name) {
      await run(
        'drop-shared',
        `DELETE FROM hub_file f USING hub_head h WHERE h.ws = $1 AND h.epoch = $2 AND f.ws = h.ws
           AND f.name LIKE 'shared/%' AND split_part(f.name, '/', 2) = $3`,
        [workspace, epoch, name],
      )
    },
    async logSize() {
      const [found] = await run<Record<'bytes', string> & Record<'first' | 'at', string | null>>(
        'log-size',
        `SELECT coalesce(sum(length(body)), 0) AS bytes, min(seq) AS first, extract(epoch FROM min(at)) * 1000 AS at
         FROM hub_log WHERE ws = $1`,
        [workspace],
      )
      const { bytes, first, at } = found!
      const numberOf = (text: string | null): number | null => (text === null ? null : Number(text))
      return { bytes: Number(bytes), firstSeq: numberOf(first), firstAt: numberOf(at) }
    },
    close: () => pool.end(),
  }
}

/**
 * The end of a lease that begins anew: never before the end it had, which a start makes later. One that is later than any
 * start makes it was set by a clock that was ahead of this one: nobody could lead until then.
 */
function renewed(leaseMs: string): string {
  const last = `clock_timestamp() + interval '1 min'`
  return `greatest(least(lease_until, ${last}), clock_timestamp() + ${leaseMs} * interval '1 ms')`
}

/** Does again what PostgreSQL had to break off for another transaction. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      if (!againCodes.has(code) || tries === maxTries) throw error
      await pause(tries * tries)
    }
  }
}

interface Part extends StoredRow {
  readonly last: boolean
}

function partOf([seq, epoch, last, body, at]: BinaryRow): Part {
  return {
    seq: Number(seq!.readBigInt64BE()),
    epoch: Number(epoch!.readBigInt64BE()),
    last: last![0] === 1,
    body: body!,
    at: at!.readDoubleBE() * 1000,
  }
}

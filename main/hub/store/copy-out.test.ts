// Rows as bytes, from a real PostgreSQL.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasPostgres, startPostgres } from '../../../test/support/postgres-cluster.ts'
import type { PostgresCluster } from '../../../test/support/postgres-cluster.ts'
import { copyOut } from './copy-out.ts'

let cluster: PostgresCluster
let pool: pg.Pool

// reason: there is no PostgreSQL to test with on every machine
describe.skipIf(!hasPostgres)('what PostgreSQL gives in binary', () => {
  beforeAll(async () => {
    cluster = await startPostgres()
    pool = new pg.Pool({ connectionString: cluster.url, max: 1 })
  })
  afterAll(async () => {
    await pool.end()
    await cluster.remove()
  })

  it('is no row, or every row with its columns, NULL and nothing apart', async () => {
    expect(await copyOut(pool, 'SELECT 1 WHERE false')).toEqual([])
    const rows = await copyOut(
      pool,
      "SELECT n::int8, CASE n WHEN 2 THEN NULL ELSE decode('', 'hex') END FROM generate_series(1, 3) n",
    )
    expect(rows.map(([number, bytes]) => [Number(number!.readBigInt64BE()), bytes])).toEqual([
      [1, Buffer.alloc(0)],
      [2, null],
      [3, Buffer.alloc(0)],
    ])
  })

  it('is whole where it comes in many pieces', async () => {
    const size = 300_000
    const rows = await copyOut(
      pool,
      `SELECT decode(repeat(lpad(to_hex(n), 2, '0'), ${size}), 'hex') FROM generate_series(1, 40) n`,
    )
    expect(rows).toHaveLength(40)
    rows.forEach(([bytes], at) => expect(bytes!.equals(Buffer.alloc(size, at + 1))).toBe(true))
  })

  it('is an error of PostgreSQL, after which the next query is answered', async () => {
    await expect(copyOut(pool, 'SELECT 1 FROM nowhere')).rejects.toMatchObject({ code: '42P01' })
    await expect(copyOut(pool, 'SELECT 1 / (n - 2) FROM generate_series(1, 3) n')).rejects.toMatchObject({
      code: '22012',
    })
    expect(await copyOut(pool, 'SELECT 7::int4')).toEqual([[Buffer.from([0, 0, 0, 7])]])
  })

  it('ends with its connection', async () => {
    const told = copyOut(pool, 'SELECT pg_sleep(60)').catch((error: unknown) => error)
    const other = new pg.Client({ connectionString: cluster.url })
    await other.connect()
    try {
      const end = "SELECT pg_terminate_backend(pid) AS gone FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
      while ((await other.query(end)).rows.length === 0) continue
    } finally {
      await other.end()
    }
    expect(String(await told)).toMatch(/terminat/)
    expect(await copyOut(pool, 'SELECT 1::int4')).toHaveLength(1)
  })
})

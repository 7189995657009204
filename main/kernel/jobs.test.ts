// Schedules over a real file and a clock that is moved by hand.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDatabase } from '#main/database/create-database.ts'
import type { HostDatabase } from '#main/database/create-database.ts'
import { migrateDatabase } from '#main/database/migrator.ts'
import { forkSpawner } from '#main/workers/fork-spawner.ts'
import { createManualClock } from './clock.ts'
import type { ManualClock } from './clock.ts'
import { statement } from './database.ts'
import { createEventBus } from './events.ts'
import { createIds } from './ids.ts'
import { createJobs } from './jobs.ts'
import type { Jobs } from './jobs.ts'
import { kernelMigrations } from './kernel-migrations.ts'
import { createLogger } from './logger.ts'

const log = createLogger()
const hour = 3_600_000
const start = Date.UTC(2026, 0, 15, 10, 30)
let dir: string
let clock: ManualClock
let database: HostDatabase
let jobs: Jobs

const makeJobs = (timezone = 'UTC'): Jobs =>
  createJobs({ database, clock, ids: createIds(clock), log, timezone: () => timezone })

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-jobs-'))
  clock = createManualClock(start)
  const file = join(dir, 'cairn.db')
  await migrateDatabase({
    file,
    plugins: [{ id: 'kernel', migrations: kernelMigrations }],
    backup: () => Promise.reject(new Error('no backup is expected')),
    clock,
    log,
  })
  const bus = createEventBus({ clock, log })
  database = await createDatabase({ file, bus, clock, log, ports: { spawn: forkSpawner } })
  jobs = makeJobs()
})

afterEach(async () => {
  await jobs.stop()
  await database.close()
  rmSync(dir, { recursive: true })
})

describe('jobs', () => {
  it('runs at each interval and not before', async () => {
    let runs = 0
    jobs.job('tick', { everySeconds: 60 }, () => void (runs += 1))
    await jobs.start()
    await jobs.runDue()
    expect(runs).toBe(0)
    clock.advance(60_000)
    await jobs.runDue()
    await jobs.runDue()
    expect(runs).toBe(1)
    clock.advance(60_000)
    await jobs.runDue()
    expect(runs).toBe(2)
  })

  it('reads a cron line in the time zone of the workspace', async () => {
    let runs = 0
    jobs = makeJobs('America/New_York')
    jobs.job('noon', { cron: '0 12 * * *' }, () => void (runs += 1))
    await jobs.start()
    clock.set(Date.UTC(2026, 0, 15, 16, 59))
    await jobs.runDue()
    expect(runs).toBe(0)
    clock.set(Date.UTC(2026, 0, 15, 17, 0))
    await jobs.runDue()
    expect(runs).toBe(1)
  })

  it('catches up once, however many runs were missed while the host was off', async () => {
    let runs = 0
    const register = (): void => jobs.job('hourly', { cron: '0 * * * *' }, () => void (runs += 1))
    register()
    await jobs.start()
    await jobs.stop()
    clock.advance(50 * hour)
    jobs = makeJobs()
    register()
    await jobs.start()
    await jobs.runDue()
    await jobs.runDue()
    expect(runs).toBe(1)
  })

  it('comes at its time again once a clock that was years ahead is set right', async () => {
    let runs = 0
    const daily = () => jobs.job('daily', { cron: '0 3 * * *' }, () => void (runs += 1))
    clock.set(Date.UTC(2036, 0, 1))
    daily()
    await jobs.start()
    await jobs.stop()
    clock.set(start)
    jobs = makeJobs()
    daily()
    await jobs.start()
    clock.advance(24 * hour)
    await jobs.runDue()
    expect(runs).toBe(1)
  })

  it('repeats a run that was cut off by the end of the process, once', async () => {
    const cutOff = makeJobs()
    cutOff.job('work', { everySeconds: 3600 }, () => new Promise<void>(() => undefined))
    await cutOff.start()
    clock.advance(hour)
    void cutOff.runDue()
    await database.write('wait for the claim', () => undefined)
    let runs = 0
    jobs.job('work', { everySeconds: 3600 }, () => void (runs += 1))
    await jobs.start()
    await jobs.runDue()
    await jobs.runDue()
    expect(runs).toBe(1)
  })

  it('never runs a job twice at the same time', async () => {
    let running = 0
    let most = 0
    let release: () => void = () => undefined
    jobs.job('slow', { everySeconds: 1 }, async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise<void>((resolve) => (release = resolve))
      running -= 1
    })
    await jobs.start()
    clock.advance(1000)
    const first = jobs.runDue()
    await database.write('wait for the claim', () => undefined)
    clock.advance(5000)
    const second = jobs.runDue()
    await new Promise((resolve) => setTimeout(resolve, 20))
    release()
    await Promise.all([first, second])
    expect(most).toBe(1)
  })

  it('records a failure and runs again at the next time', async () => {
    let runs = 0
    jobs.job('bad', { everySeconds: 60 }, () => {
      runs += 1
      throw new Error('broken')
    })
    await jobs.start()
    clock.advance(60_000)
    await jobs.runDue()
    const row = database.read.get<{ last_error: string }>(
      statement('SELECT last_error FROM _job WHERE name = ?', ['bad']),
    )
    expect(row?.last_error).toBe('broken')
    clock.advance(60_000)
    await jobs.runDue()
    expect(runs).toBe(2)
  })

  it('tells running jobs to stop and waits for them', async () => {
    let stopped = false
    jobs.job('long', { everySeconds: 1 }, async (signal) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => setTimeout(resolve, 20)))
      stopped = true
    })
    await jobs.start()
    clock.advance(1000)
    void jobs.runDue()
    await database.write('wait for the claim', () => undefined)
    await new Promise((resolve) => setTimeout(resolve, 10))
    await jobs.stop()
    expect(stopped).toBe(true)
  })

  it('runs by its own timer', async () => {
    const ran = new Promise<void>((resolve) => {
      const real = { now: () => Date.now(), iso: () => new Date().toISOString() }
      jobs = createJobs({ database, clock: real, ids: createIds(real), log, timezone: () => 'UTC' })
      jobs.job('second', { everySeconds: 0.05 }, () => resolve())
    })
    await jobs.start()
    await expect(ran).resolves.toBeUndefined()
  })

  it('refuses a wrong cron line and a name that is taken', () => {
    expect(() => jobs.job('bad', { cron: 'every day' }, () => undefined)).toThrow()
    jobs.job('once', { everySeconds: 1 }, () => undefined)
    expect(() => jobs.job('once', { everySeconds: 1 }, () => undefined)).toThrow('registered twice')
  })
})

// What ends or never begins in a child process stays there: the host goes on.
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { wrapChild } from './ports.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'cairn-ports-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('drops what is sent to a child that has ended before the host was told', async () => {
  const entry = path.join(folder, 'child.mjs')
  writeFileSync(entry, 'process.on("message", () => undefined); process.send("here")')
  const forked = fork(entry, [], { execArgv: [], serialization: 'advanced' })
  const child = wrapChild(forked)
  await new Promise<void>((resolve) => child.onMessage(() => resolve()))
  const ended = new Promise<number | null>((resolve) => child.onExit(resolve))
  child.kill()
  // The thread waits, so that the system has ended the child and this process has not heard of it.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
  expect(forked.connected).toBe(true)
  child.send({ text: 'too late' })
  expect(await ended).toBeNull()
})

it('tells of a child the system could not start as of one that has ended', async () => {
  const child = wrapChild(fork('unused.mjs', [], { execPath: path.join(folder, 'no-such-program') }))
  expect(child.pid).toBeUndefined()
  child.send('nobody hears it')
  expect(await new Promise((resolve) => child.onExit(resolve))).toBeNull()
})

// A hub as a test sets it up by the commands: a PostgreSQL of its own, and machines with a data folder each. Knows no
// capability.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from './free-port.ts'
import { HubMachine, runCairn } from './hub-machine.ts'
import type { CommandEnd } from './hub-machine.ts'
import { startPostgres } from './postgres-cluster.ts'
import type { PostgresCluster } from './postgres-cluster.ts'

/** A hub with machines that are not started yet. */
export interface HubOfMachines {
  readonly folder: string
  readonly cluster: PostgresCluster
  readonly machines: readonly HubMachine[]
  /** Runs `cairn hub`. */
  hub(command: string, ...args: string[]): Promise<CommandEnd>
  remove(): Promise<void>
}

/** Begins a hub with the first machine's folder. @param config what stands in each config.json */
export async function createHub(names: readonly string[], config: object = {}): Promise<HubOfMachines> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-hub-'))
  const cluster = await startPostgres()
  const folderOf = (name: string): string => join(folder, name)
  for (const name of names) {
    mkdirSync(folderOf(name), { mode: 0o700 })
    writeFileSync(join(folderOf(name), 'config.json'), JSON.stringify(config), { mode: 0o600 })
  }
  const [first = ''] = names
  const hub: HubOfMachines['hub'] = (command, ...args) =>
    runCairn(['hub', command, cluster.url, '--data', folderOf(first), ...args])
  const made = await hub('init')
  if (made.code !== 0) throw new Error(`The hub could not be begun: ${made.error}`)
  for (const name of names.slice(1)) copyFileSync(join(folderOf(first), 'hub.key'), join(folderOf(name), 'hub.key'))
  const args = ['--hub', cluster.url]
  const machines: HubMachine[] = []
  for (const name of names) machines.push(new HubMachine({ folder, name, port: await findFreePort(), args }))
  return {
    folder,
    cluster,
    machines,
    hub,
    async remove() {
      for (const machine of machines) await machine.stop('SIGKILL').catch(() => undefined)
      await cluster.remove()
      rmSync(folder, { recursive: true })
    },
  }
}
